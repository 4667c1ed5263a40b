import type { TabProps } from '../../records/record-parts.ts'
import { OrderHead } from './order-head.tsx'

/** An order as somebody needs it who serves its buyer. */
export const OrderTab = ({ item }: TabProps) => <OrderHead item={item} />
