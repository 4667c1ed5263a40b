import type { Instance, Work } from '../../kernel/work/context.ts'
import { workOf } from '../../kernel/work/work-of.ts'

/** What the server does by itself about the deliveries of a store. */
export const workOfDeliveries = (instance: Instance, storeId: string): Work =>
  workOf(instance, { store: storeId, by: 'system deliveries' })
