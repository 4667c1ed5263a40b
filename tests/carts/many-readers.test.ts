import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerCart } from '../../server/carts/cart/answer-cart.ts'
import type { CartRow } from '../../server/carts/contents/cart-fields.ts'
import { json } from '../../server/kernel/shape/answer.ts'
import { Ctx } from '../../server/kernel/work/context.ts'
import { filledCart, wrap } from '../builders/orders/buying.ts'
import { signUp } from '../builders/people/sign-up.ts'
import { openWorld, type World } from '../support/world.ts'

/** Many readers of one cart delay nobody: one answer is made, ready to be sent to all of them. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const shopper = { kind: 'implicit', grant: 'implicit', keyId: '', actor: 'shopper', caller: 'shopper' }

/** The context of a request. */
function requestOf(who: object = shopper, baseUrl = 'http://shop.example.com'): Ctx {
  const { store, requestId, instance } = world.work
  return new Ctx({
    ...{ store, requestId, instance, baseUrl, clientAddress: '192.0.2.1' },
    who: { ...shopper, ...who, storeId: world.storeId },
  })
}

/** A reader that counts how often an answer is made. */
function reader(make: (row: CartRow) => Promise<void> = async () => {}) {
  const counted = { made: 0 }
  const read = (path: string, ctx = requestOf(), query = 'include=items') =>
    answerCart(ctx, 'cart', path.split('/').at(-1) ?? '', { query, headers: {} }, async (row) => {
      counted.made++
      await make(row)
      return json(200, { data: row.doc, version: row.version })
    })
  return { counted, read }
}

const times = <T>(n: number, one: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => one(i)))

test('150 readers who come at once get one answer, whose bytes are in memory once', async () => {
  const cart = await filledCart(world.admin)
  const { counted, read } = reader()
  for (const round of [1, 2, 3]) {
    await world.admin.post(`${cart}/items`, { data: wrap({ sku: `S-${round}` }) })
    const answers = await times(150, () => read(cart))
    expect(counted.made).toBe(round)
    const [first] = answers
    expect(first?.body).toBeInstanceOf(Uint8Array)
    for (const { body } of answers) expect(body).toBe(first?.body)
    expect((await read(cart)).body).toBe(first?.body)
  }
  // Names that mean nothing make no further answers.
  await times(20, (i) => read(cart, requestOf(), `include=items,n${i}&include=items`))
  expect(counted.made).toBe(3)
})

test('a reader who comes after a write never gets an answer of before', async () => {
  const cart = await filledCart(world.admin)
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = reader(() => promise)
  const early = slow.read(cart)
  while (!slow.counted.made) await new Promise(setImmediate)
  await world.admin.put(cart, { data: { name: 'Later' } })
  const late = JSON.parse(String((await reader().read(cart)).body))
  expect(late.data.name).toBe('Later')
  resolve()
  expect(JSON.parse(String((await early).body)).data.name).toBe('Cart')
  expect(JSON.parse(String((await reader().read(cart)).body)).data.name).toBe('Later')
})

test('a reader whose answer fails leaves it to the next', async () => {
  const cart = await filledCart(world.admin)
  let failures = 0
  const { read } = reader(async () => {
    if (failures++ === 0) throw new Error('the client has hung up')
  })
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => read(cart)))
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(failures).toBe(2)
})

test('readers who wait for an answer need the right to read the cart, too', async () => {
  const ada = await signUp(world)
  const cart = await filledCart(world.admin)
  const { promise, resolve } = Promise.withResolvers<void>()
  const { counted, read } = reader(() => promise)
  const first = read(cart)
  while (!counted.made) await new Promise(setImmediate)
  await world.admin.post(`${cart}/relationships/customers`, { data: [{ type: 'customer', id: ada.id }] })
  const ben = { kind: 'customer', shopper: { id: crypto.randomUUID(), claims: {}, session: {} } }
  await expect(read(cart, requestOf(ben))).rejects.toMatchObject({ status: 403 })
  resolve()
  await first
  await expect(read(cart, requestOf(ben))).rejects.toMatchObject({ status: 403 })
})

test('long carts are made one in each turn of the event loop', async () => {
  const inputs = { texts: Array(2000).fill('x'.repeat(100)) }
  const cart = await filledCart(world.admin, wrap({ custom_inputs: inputs }))
  let turn = 0
  let isOver = false
  // Each turn is long, so that the rows of several readers arrive in one.
  const count = () => {
    turn++
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns: number[] = []
  const { read } = reader(async () => void turns.push(turn))
  // Each asks under another address, so that each gets an answer of its own.
  await times(12, (i) => read(cart, requestOf({}, `http://shop-${i}.example.com`)))
  isOver = true
  expect(turns).toHaveLength(12)
  expect(new Set(turns).size).toBe(12)
})
