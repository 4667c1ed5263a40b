import { copyRows } from './copy-rows.ts'
import type { CreatedObject, OwnServer } from './own-server.ts'

/** The rows of `seedCarts`, and whose they are. */
export interface SeededCarts {
  readonly storeId: string
  readonly cartId: string
  readonly customerId: string
  readonly accountId: string
  /** An account of a thousandth of the carts. */
  readonly busyAccountId: string
  readonly orderId: string
  readonly promotionId: string
  readonly rulePromotionId: string
}

const password = 'a long password for the bench'

export const customer = { email: 'ada@bench.example', password }

const address = {
  ...{ first_name: 'Ada', last_name: 'Byron', line_1: '12 Mill Lane', city: 'Ely', county: 'Cambridgeshire' },
  ...{ region: 'East', postcode: 'CB7 4AA', country: 'GB' },
}

/** The body of a checkout by a guest. */
export const guestCheckout = {
  customer: { name: 'Ada Byron', email: 'ada@bench.example' },
  billing_address: address,
  shipping_address: address,
}

/** A line of a cart that is no product. */
export const customItem = (sku: string) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku, quantity: 1, price: { amount: 1000 } },
})

const period = { enabled: true, start: '2026-01-01', end: '2026-12-31' }

export const tenPercent = {
  ...{ type: 'rule_promotion', name: 'Spring', description: 'Spring sale', ...period },
  rule_set: {
    rules: { strategy: 'cart_total', operator: 'gte', args: [1] },
    actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
  },
}

export const fiveOff = {
  ...{ type: 'promotion', name: 'Spring', description: 'Spring sale', ...period },
  ...{ promotion_type: 'fixed_discount', schema: { currencies: [{ currency: 'USD', amount: 500 }] } },
}

/** One cart and one order by requests, and copies of them by SQL; as many codes and usages, at most 100,000. */
export async function seedCarts(server: OwnServer, rows: number, cartRows = rows): Promise<SeededCarts> {
  const { call, database } = server
  const make = async (path: string, data: object) =>
    (await call<{ data: CreatedObject }>('POST', path, data, 201)).data.id
  const customerId = await make('/v2/customers', { type: 'customer', name: 'Ada', ...customer })
  const account = (name: string) => make('/v2/accounts', { type: 'account', name, legal_name: `${name} Ltd` })
  const [accountId, busyAccountId] = [await account('Small'), await account('Busy')]
  await call('POST', '/v2/carts/one/items', customItem('wrap-1'), 201)
  const cart = await call<{ data: CreatedObject }>('GET', '/v2/carts/one')
  const orderId = await make('/v2/carts/one/checkout', guestCheckout)
  const promotionId = await make('/v2/promotions', fiveOff)
  const rulePromotionId = await make('/v2/rule-promotions', tenPercent)
  const [[storeId] = []] = await database.run({ text: 'SELECT id FROM stores', values: [] })
  const people = JSON.stringify({ customerId, accountId, busyAccountId })
  await copyRows(
    server,
    cartRows,
    [copiedCarts],
    [cart.data.id, people],
    [{ table: 'carts', name: 'carts', scope: 'store_id' }],
  )
  await copyRows(
    server,
    rows,
    [copiedOrders, copiedContents],
    [orderId, people],
    [{ table: 'orders', name: 'orders', scope: 'store_id' }],
  )
  for (const [table, id] of [
    ['standard_promotion', promotionId],
    ['rule_promotion', rulePromotionId],
  ] as const) {
    await copyRows(
      server,
      Math.min(rows, 100_000),
      [codesOf(table), usagesOf(table)],
      [storeId, id],
      [
        { table: `${table}_codes`, name: `${table}_codes.promotion_id`, scope: 'promotion_id' },
        { table: `${table}_usages`, name: `${table}_usages.promotion_id`, scope: 'promotion_id' },
        { table: `${table}_usages`, name: `${table}_usages.code_list`, scope: 'code_list' },
      ],
    )
  }
  await database.run({ text: 'VACUUM ANALYZE', values: [], long: true })
  await database.run({ text: 'CHECKPOINT', values: [], long: true })
  const ids = { customerId, accountId, busyAccountId, orderId, promotionId, rulePromotionId }
  return { storeId: storeId as string, cartId: cart.data.id, ...ids }
}

/** Ten are the customer's and ten the account's, a thousandth the busy account's, a tenth of other customers. */
const copiedCarts = `INSERT INTO carts (store_id, id, created_at, updated_at, doc, hidden, inside)
  SELECT c.store_id, n.id, n.t, n.t, (c.doc::jsonb || jsonb_build_object('id', 'cart-' || n.i, 'name', 'Cart ' || n.i))::json,
    (c.hidden::jsonb || jsonb_build_object('customers', CASE
        WHEN n.i <= 10 THEN jsonb_build_array($2::json->>'customerId')
        WHEN n.i % 10 = 1 THEN jsonb_build_array(md5((n.i % 9973)::text)::uuid) ELSE '[]' END,
      'accounts', CASE
        WHEN n.i BETWEEN 11 AND 20 THEN jsonb_build_array($2::json->>'accountId')
        WHEN n.i % 1000 = 2 THEN jsonb_build_array($2::json->>'busyAccountId') ELSE '[]' END))::json, c.inside
  FROM carts c, numbers n WHERE c.reference = 'one' AND $1::text <> ''`

/** A hundredth is paid, a thousandth is of the busy account or has another currency. */
const copiedOrders = `INSERT INTO orders (store_id, id, created_at, updated_at, doc, hidden)
  SELECT o.store_id, n.id, n.t, n.t,
    (o.doc::jsonb || jsonb_build_object(
      'status', CASE n.i % 100 WHEN 0 THEN 'complete' WHEN 1 THEN 'cancelled' ELSE 'incomplete' END,
      'payment', CASE n.i % 100 WHEN 0 THEN 'paid' ELSE 'unpaid' END,
      'shipping', CASE n.i % 1000 WHEN 0 THEN 'fulfilled' ELSE 'unfulfilled' END,
      'order_number', 'R-' || n.i, 'external_ref', 'ext-' || n.i,
      'customer', jsonb_build_object('name', 'Person ' || n.i, 'email', 'person-' || n.i || '@bench.example'),
      'contact', jsonb_build_object('name', 'Contact ' || n.i, 'email', 'contact-' || n.i || '@bench.example'),
      'shipping_address', o.doc::jsonb->'shipping_address' || jsonb_build_object('postcode', 'P' || n.i),
      'billing_address', o.doc::jsonb->'billing_address' || jsonb_build_object('postcode', 'B' || n.i)))::json,
    (jsonb_set(jsonb_set(jsonb_set(jsonb_set(o.hidden::jsonb,
        '{currency,code}', to_jsonb(CASE n.i % 1000 WHEN 0 THEN 'EUR' ELSE 'USD' END)),
        '{prices,with_tax}', to_jsonb(n.i)), '{prices,without_tax}', to_jsonb(n.i)), '{cart,id}', to_jsonb(n.id))
      || jsonb_build_object(
        'customer_id', CASE WHEN n.i <= 10 THEN $2::json->>'customerId' WHEN n.i % 10 = 1 THEN md5((n.i % 9973)::text)::uuid::text END,
        'account_id', CASE WHEN n.i % 1000 = 2 THEN $2::json->>'busyAccountId' END,
        'account_member_id', CASE WHEN n.i % 1000 = 2 THEN $2::json->>'busyAccountId' END,
        'product_ids', jsonb_build_array(md5('p' || n.i % 1000)::uuid), 'product_skus', jsonb_build_array('sku-' || n.i % 1000)))::json
  FROM orders o, numbers n WHERE o.id = $1`

const copiedContents = `INSERT INTO order_contents (store_id, order_id, doc)
  SELECT c.store_id, n.id, c.doc FROM order_contents c, numbers n WHERE c.order_id = $1 AND $2::json IS NOT NULL`

const codesOf = (
  table: string,
) => `INSERT INTO ${table}_codes (store_id, promotion_id, id, created_at, updated_at, doc)
  SELECT $1, $2, n.id, n.t, n.t, json_build_object('code', 'CODE-' || n.i, 'consume_unit',
    '${table === 'rule_promotion' ? 'per_checkout' : 'per_cart'}')
  FROM numbers n`

/** One usage of each code, but of one code a tenth of all. */
const usagesOf = (
  table: string,
) => `INSERT INTO ${table}_usages (store_id, promotion_id, id, created_at, updated_at, doc, hidden)
  SELECT $1, $2, gen_random_uuid(), n.t, n.t, json_build_object('order_id', gen_random_uuid(), 'code_id', n.id,
      'code', 'CODE-' || CASE WHEN n.i % 10 = 0 THEN 10 ELSE n.i END, 'times_used', 1, 'used_on', n.t, 'customer_id', md5((n.i % 9973)::text)::uuid,
      'account_id', NULL, 'customer_email', 'person-' || n.i || '@bench.example', 'anonymized', false),
    json_build_object('used_on_ms', floor(extract(epoch FROM n.t) * 1000))
  FROM numbers n`
