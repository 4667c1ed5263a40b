import type { rowValuesOf } from './order-contents.ts'

/** What they show of its contents. The others of `rowValuesOf` only find the order. */
const ofContents = [
  ...(['currency', 'prices', 'item_ids', 'custom_discount_ids', 'promotion_ids'] as const),
] as const satisfies readonly (keyof ReturnType<typeof rowValuesOf>)[]

/**
 * The hidden values of an order that responses, lists, events and the feed show. `track` of the table has the same
 * list. The others may be megabytes.
 */
export const shownOfOrder = [
  ...(['payments', 'fully_paid_at', 'is_manual'] as const),
  ...(['customer_id', 'account_id', 'account_member_id'] as const),
  ...ofContents,
] as const
