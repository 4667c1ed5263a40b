import type { Portion } from '../../assortment/index.ts'
import type { Contents, PricedCart } from '../../carts/index.ts'
import { isHidden } from '../../kernel/shape/hide-personal.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { cutText } from '../../kernel/storage/stored-row.ts'
import type { Work } from '../../kernel/work/context.ts'
import { nextTurn } from '../../kernel/work/in-turns.ts'
import type { Notation } from '../../store/index.ts'

/**
 * The items of an order with what they cost, as the cart had them at checkout. Only `changeContents` changes them: no
 * operation does, but personal data is removed.
 */
export interface OrderContents {
  /** The lines have ids of their own. */
  readonly contents: Contents
  readonly priced: PricedCart
  /** The stock that its items take, as far as it is counted. */
  readonly portions: readonly Portion[]
  /** The items of the cart, by the ids of the order's lines. */
  readonly cartItems: Readonly<Record<string, { readonly type: string; readonly id: string }>>
}

/** What the row of an order has of its contents: what they cost, what finds it, and what its relationships name. */
export function rowValuesOf({ contents, priced }: OrderContents) {
  const { lines, customDiscounts } = contents
  const { currency, prices } = priced
  return {
    ...{ currency: currency satisfies Notation, prices, with_tax: prices.with_tax },
    item_ids: [...lines, ...priced.promotionItems].map(({ id }) => id),
    custom_discount_ids: [...lines.flatMap((line) => line.customDiscounts), ...customDiscounts].map(
      ({ id }) => id,
    ),
    promotion_ids: unique(priced.promotions.map(({ id }) => id)),
    product_ids: unique(lines.flatMap((line) => (line.kind === 'cart_item' ? line.productId : []))),
    // A text that was removed finds nothing.
    product_skus: unique(lines.flatMap(({ sku }) => (sku && !isHidden(sku) ? sku : []))),
  }
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]

const text = 'SELECT order_id, doc FROM order_contents WHERE store_id = $1 AND order_id = ANY($2::uuid[])'

/** The contents of orders, by their ids. */
export async function findContents(
  store: Store,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, OrderContents>> {
  if (!orderIds.length) return new Map()
  const rows = await store.read(text, orderIds)
  return new Map(rows.map(([id, doc]) => [id as string, JSON.parse(doc as string) as OrderContents]))
}

/** The contents of an order among others. Each order has some. */
export function contentsIn(found: ReadonlyMap<string, OrderContents>, orderId: string): OrderContents {
  const contents = found.get(orderId)
  if (!contents) throw new Error(`order ${orderId} has no contents`)
  return contents
}

/** Longer contents are read one order at a time. */
const charsMax = 16_000

/** The contents of orders, one after the other, in the order of the ids. Other work runs between long ones. */
export async function* eachContents(
  store: Store,
  orderIds: readonly string[],
): AsyncGenerator<readonly [orderId: string, OrderContents]> {
  // Those of one order are all needed anyway, and a statement that cuts them has to decompress them, too.
  if (orderIds.length <= 1) return yield* await findContents(store, orderIds)
  const rows = await store.read(
    `SELECT order_id, ${cutText('doc', charsMax)} FROM order_contents
     WHERE store_id = $1 AND order_id = ANY($2::uuid[])`,
    orderIds,
  )
  const beginnings = new Map(rows.map(([id, beginning]) => [id as string, beginning as string]))
  for (const id of orderIds) {
    const beginning = beginnings.get(id)
    if (beginning === undefined) continue
    if (beginning.length < charsMax) yield [id, JSON.parse(beginning) as OrderContents]
    else {
      await nextTurn()
      yield* await findContents(store, [id])
    }
  }
}

/** The contents of one order. */
export async function contentsOfOrder(store: Store, orderId: string): Promise<OrderContents> {
  return contentsIn(await findContents(store, [orderId]), orderId)
}

/** The stock that the items of one order take; undefined if there is no such order. */
export async function portionsOfOrder(
  { store }: Work,
  orderId: string,
): Promise<readonly Portion[] | undefined> {
  const [row] = await store.read(
    `SELECT doc->'portions' FROM order_contents WHERE store_id = $1 AND order_id = $2`,
    orderId,
  )
  return row && (JSON.parse(row[0] as string) as readonly Portion[])
}

/** Stores the contents of a new order. */
export async function insertContents(store: Store, orderId: string, contents: OrderContents): Promise<void> {
  await store
    .later()
    .run(
      'INSERT INTO order_contents (store_id, order_id, doc) VALUES ($1, $2, $3)',
      orderId,
      JSON.stringify(contents),
    )
}

/** Stores other contents of an order: see `changeContents`. */
export async function updateContents(store: Store, orderId: string, contents: OrderContents): Promise<void> {
  await store.run(
    'UPDATE order_contents SET doc = $3 WHERE store_id = $1 AND order_id = $2',
    orderId,
    JSON.stringify(contents),
  )
}
