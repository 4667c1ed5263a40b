import type { OrderFields } from './orders.ts'

/**
 * The hidden values of an order that responses, lists, events and the feed show, also those of its contents: the only
 * list, which `track` of the table repeats. The others may be megabytes.
 */
export const shownOfOrder = [
  ...(['currency', 'prices', 'payments', 'fully_paid_at', 'is_manual'] as const),
  ...(['customer_id', 'account_id', 'account_member_id'] as const),
  ...(['item_ids', 'custom_discount_ids', 'promotion_ids'] as const),
] as const satisfies readonly (keyof OrderFields)[]
