import { isObject } from '../kernel/body/input.ts'
import { forgetChangesOf } from '../kernel/feed/erase.ts'
import { sequence } from '../kernel/feed/record.ts'
import { untilWritten } from '../kernel/storage/until-written.ts'
import type { Work } from '../kernel/work/context.ts'
import { change } from '../kernel/write/by-rules.ts'
import { forgetPayingGuests } from '../promotion-codes/index.ts'
import { type OrderContents, rewriteContents } from './order-contents.ts'
import { type OrderRow, orders } from './orders.ts'

const mark = '**'

/** Each text of a person or an address becomes a mark; an empty one stays, as it says nothing. */
const hide = <T extends object>(values: T | undefined): T | undefined =>
  values &&
  (Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ? mark : value])) as T)

/** Shoppers write anything into these: the names of children, dedications, numbers of phones. */
function hideAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideAll)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideAll(one)]))
  return typeof value === 'string' || typeof value === 'number' ? value && mark : value
}

/** The contents of an order without what shoppers wrote, and without addresses. */
const withoutPersons = ({ contents, ...others }: OrderContents): OrderContents => ({
  ...others,
  contents: {
    ...contents,
    lines: contents.lines.map((line) => ({
      ...line,
      customInputs: hideAll(line.customInputs) as typeof line.customInputs,
    })),
    shippingGroups: contents.shippingGroups.map((one) => ({ ...one, address: hide(one.address) })),
  },
})

/**
 * Removes the buyer from orders: the names, email addresses, addresses and custom inputs, also from the change feed.
 * The caller holds the feed (`holdFeed`), so that nothing enters it meanwhile.
 */
export async function forgetBuyer(work: Work, ids: readonly string[]): Promise<readonly OrderRow[]> {
  const { store } = work
  await store.lock(orders, ...ids)
  await sequence(store)
  await forgetChangesOf(store, [orders.table], ids)
  await forgetPayingGuests(work, ids)
  await rewriteContents(store, ids, withoutPersons)
  const rows: OrderRow[] = []
  for (const id of ids) rows.push(await untilWritten(() => forgetBuyerOf(work, id)))
  return rows
}

async function forgetBuyerOf(work: Work, id: string): Promise<OrderRow | undefined> {
  const before = await work.store.findWhole(orders, id)
  if (!before) throw new Error('the order is locked')
  const { customer, contact, billing_address: billing, shipping_address: shipping } = before.doc
  return change(work, orders, [], id, {
    anonymized: true,
    customer: hide(customer),
    contact: hide(contact),
    billing_address: hide(billing),
    shipping_address: hide(shipping),
    shipping_groups: before.hidden.shipping_groups?.map((one) => ({
      ...one,
      group: { ...one.group, address: hide(one.group.address) },
    })),
  } as never)
}

/** Removes people and accounts from all of their orders, which stay: a merchant must account for them. */
export async function forgetBuyers(work: Work, roots: readonly string[]): Promise<void> {
  const rows = await work.store.run(
    `SELECT id FROM orders WHERE store_id = $1
       AND (customer_id = ANY($2::uuid[]) OR account_id = ANY($2::uuid[]) OR account_member_id = ANY($2::uuid[]))
     ORDER BY id`,
    roots,
  )
  await forgetBuyer(
    work,
    rows.map(([id]) => id as string),
  )
}
