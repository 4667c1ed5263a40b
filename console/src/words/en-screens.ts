import { bulkChanges } from './en-bulk-changes.ts'
import { identity } from './en-identity.ts'
import { orders } from './en-orders.ts'
import { stock } from './en-stock.ts'

/** The texts of the screens that are more than declarations, in English. */
export const screens = { bulkChanges, identity, orders, stock }

export type ScreenWords = typeof screens
