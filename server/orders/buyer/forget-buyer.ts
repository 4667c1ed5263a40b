import {
  type Contents,
  removeOrderedCarts,
  withoutShoppersTexts,
  withoutTextsOfGroup,
} from '../../carts/index.ts'
import { forgetChangesOf } from '../../kernel/feed/erase.ts'
import { sequence } from '../../kernel/feed/sequence.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import { hidePersonal } from '../../kernel/shape/hide-personal.ts'
import type { Work } from '../../kernel/work/context.ts'
import { forgetPayingGuests, forgetUsersOfOrders } from '../../promotions/index.ts'
import { changeContents } from '../order/change-contents.ts'
import type { OrderContents } from '../order/order-contents.ts'
import { type OrderFields, type OrderRow, orders, type WholeOrder } from '../order/orders.ts'

/** Orders without their buyers. */
export interface ForgottenOrders {
  readonly rows: readonly OrderRow[]
  /** The ids that copies elsewhere may have: of the orders, their carts, and the items of both. */
  readonly traces: readonly string[]
}

/**
 * Removes the buyer from orders, and all that a shopper can have written into them: from the orders, their contents,
 * the carts that they were made of, and the change feed. The caller holds the feed (`holdFeed`), so that nothing enters
 * it meanwhile. `mayForget` refuses orders, once they are locked.
 */
export async function forgetBuyer(
  work: Work,
  ids: readonly string[],
  mayForget?: (found: readonly WholeOrder[]) => void,
): Promise<ForgottenOrders> {
  const { store } = work
  const changed = await changeContents(work, ids, async (opened) => {
    mayForget?.(opened.map(({ order }) => order))
    await sequence(store)
    await forgetChangesOf(store, [orders.table], ids)
    await forgetPayingGuests(work, ids)
    await forgetUsersOfOrders(work, ids)
    return opened.map(({ order, contents }) => ({
      values: withoutBuyer(order),
      contents: withoutTexts(contents),
    }))
  })
  const rows = changed.map(({ order }) => order)
  const ofCarts = await removeOrderedCarts(
    store,
    rows.flatMap(({ hidden }) => hidden.cart ?? []),
  )
  const ofItems = changed.flatMap(({ contents: { cartItems } }) =>
    Object.entries(cartItems).flatMap(([id, item]) => [id, item.id]),
  )
  return { rows, traces: [...ids, ...ofItems, ...ofCarts] }
}

/** The slug of a location stays where its stock is counted: it is one of the seller's. */
function withoutTexts({ contents, portions, ...others }: OrderContents): OrderContents {
  const counted = new Set(portions.map(({ location }) => location))
  const hidden = withoutShoppersTexts(contents)
  const lines = hidden.lines.map((line, i): Contents['lines'][number] => {
    const before = contents.lines[i]
    return line.kind === 'cart_item' && before?.kind === 'cart_item' && counted.has(before.location)
      ? { ...line, location: before.location }
      : line
  })
  return { ...others, portions, contents: { ...hidden, lines } }
}

function withoutBuyer({ doc, hidden }: WholeOrder): Changes<OrderFields> {
  return {
    ...hidePersonal(orders.fields, doc),
    anonymized: true,
    shipping_groups: hidden.shipping_groups?.map((one) => ({
      ...one,
      group: withoutTextsOfGroup(one.group),
    })),
  }
}

/** Removes people and accounts from all of their orders, which stay: a merchant must account for them. */
export async function forgetBuyers(work: Work, roots: readonly string[]): Promise<ForgottenOrders> {
  const rows = await work.store.run(
    `SELECT id FROM orders WHERE store_id = $1
       AND (customer_id = ANY($2::uuid[]) OR account_id = ANY($2::uuid[]) OR account_member_id = ANY($2::uuid[]))
     ORDER BY id`,
    roots,
  )
  return forgetBuyer(
    work,
    rows.map(([id]) => id as string),
  )
}
