import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody, openShop, order, wrap } from '../../builders/orders/buying.ts'
import { pay, takeManualPayments } from '../../builders/payments/paying.ts'
import { addCodes, idIn, makePromotion, newCode } from '../../builders/promotions/codes.ts'
import type { Reply } from '../../support/client.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

const buyers = 200

let world: World
let products: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  products = await openShop(world, { LOAF: 500, RYE: 600 })
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

/** Asks for each buyer, eight at a time. */
async function forEachBuyer<T>(ask: () => Promise<T>): Promise<readonly T[]> {
  const all: T[] = []
  while (all.length < buyers) all.push(...(await Promise.all(Array.from({ length: 8 }, ask))))
  return all
}

/**
 * Holds a row, as another server would, while all buyers ask for it. When they wait, `meanwhile` runs: it can only end
 * if they leave connections to others. Returns the responses to the buyers.
 */
async function whileAllWait(
  rowSql: readonly [text: string, ...ids: string[]],
  ask: readonly (() => Promise<Reply>)[],
  meanwhile: () => Promise<void>,
): Promise<readonly Reply[]> {
  const { database } = world.server.instance
  const waiting = () =>
    database.connections.find(({ labels }) => labels?.pool === 'requests-locks' && labels.state === 'waiting')
  const connection = await database.pool.connect()
  await connection.query('BEGIN')
  const [text, ...ids] = rowSql
  await connection.query(text, ids)
  const replies = ask.map((one) => one())
  try {
    await until(async () => (waiting()?.value === ask.length - 7 ? true : undefined))
    await meanwhile()
  } finally {
    await connection.query('COMMIT')
    connection.release()
  }
  return Promise.all(replies)
}

/** Another shopper fills a cart, checks out and pays. */
async function buySomethingElse(): Promise<void> {
  const { id } = await order(world.shopper, { type: 'cart_item', id: products.RYE, quantity: 1 })
  expect((await pay(world.shopper, id)).status).toBe(200)
}

const statuses = (replies: readonly Reply[]) =>
  Object.fromEntries(
    [...Map.groupBy(replies, ({ status }) => status)].map(([status, some]) => [status, some.length]),
  )

test('many buyers of one product leave connections to others, and each unit is sold once', async () => {
  const inventory = `/v2/inventories/${products.LOAF}`
  const stock = { data: { type: 'stock', quantity: 150 } }
  expect((await world.admin.post(inventory, stock)).status).toBe(201)
  const item = { type: 'cart_item', id: products.LOAF, quantity: 1 }
  const orders = await forEachBuyer(async () => (await order(world.shopper, item)).id as string)
  const replies = await whileAllWait(
    ['SELECT FROM stocks WHERE store_id = $1 AND id = $2 FOR UPDATE', world.storeId, products.LOAF as string],
    orders.map((id) => () => pay(world.shopper, id)),
    buySomethingElse,
  )
  expect(statuses(replies)).toEqual({ 200: 150, 400: 50 })
  expect((await world.admin.get(inventory)).body.data).toMatchObject({ available: 0, allocated: 150 })
})

const codesSql =
  'SELECT FROM rule_promotion_codes WHERE store_id = $1 AND promotion_id = $2 FOR NO KEY UPDATE'

test('many buyers with one code leave connections to others, and each use is spent once', async () => {
  const discounts = { use_rule_promotions: true }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  const promotion = await makePromotion(world.admin, 'rule-promotions')
  const code = newCode()
  expect((await addCodes(world.admin, promotion, { code, uses: 150 })).status).toBe(201)
  const carts = await forEachBuyer(() => filledCart(world.shopper, wrap(), { type: 'promotion_item', code }))
  const replies = await whileAllWait(
    [codesSql, world.storeId, idIn(promotion)],
    carts.map((cart) => () => world.shopper.post(`${cart}/checkout`, guestBody())),
    buySomethingElse,
  )
  expect(statuses(replies)).toEqual({ 201: 200 })
  const totals = replies.map(({ body }) => body.data.meta.display_price.with_tax.amount)
  expect(totals.filter((total) => total === 900)).toHaveLength(150)
})
