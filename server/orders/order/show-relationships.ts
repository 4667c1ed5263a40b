import { group } from '../../kernel/shape/fields.ts'
import { optional, readOnly, required, shown } from '../../kernel/shape/shown.ts'
import type { OrderRow } from './orders.ts'

const link = shown.group({ type: shown.text, id: shown.text })
const one = group({ data: optional(link) }, {})
const many = group({ data: optional(shown.list(link)) }, {})

export const orderRelationships = readOnly(
  shown.group({
    items: required(many),
    custom_discounts: many,
    promotions: many,
    customer: one,
    account: one,
    account_member: one,
  }),
  { about: 'The items of the order, what was taken off them, and who bought them.' },
)

const linksTo = (type: string, ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) })

export function relationshipsOf({ hidden }: OrderRow) {
  const { item_ids: items = [], custom_discount_ids: discounts = [], promotion_ids: promotions = [] } = hidden
  const { customer_id: customer, account_id: account, account_member_id: member } = hidden
  return {
    items: linksTo('item', items),
    ...(discounts.length && { custom_discounts: linksTo('custom_discount', discounts) }),
    ...(promotions.length && { promotions: linksTo('promotion', promotions) }),
    ...(customer && { customer: { data: { type: 'customer', id: customer } } }),
    ...(account && { account: { data: { type: 'account', id: account } } }),
    ...(member && { account_member: { data: { type: 'account-member', id: member } } }),
  }
}
