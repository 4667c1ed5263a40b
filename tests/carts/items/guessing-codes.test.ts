import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, wrap } from '../../builders/orders/buying.ts'
import { signUp } from '../../builders/people/sign-up.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Wrong codes count by address, as wrong passwords do. */

let laterMs = 0
let world: World
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(Date.now() + laterMs) },
    env: { SUTLER_TRUST_PROXY: 'loopback', SUTLER_TOKEN_LIFETIME_S: '31536000' },
  })
  await promotion('RIGHT', [])
  await promotion('LARGE', [{ strategy: 'cart_total', operator: 'gte', args: [1_000_000] }])
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
})
afterAll(() => world.close())

async function promotion(code: string, rules: object[]) {
  const [rule] = rules
  const data = {
    ...{ type: 'rule_promotion', name: code, enabled: true, automatic: false },
    ...{ start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' },
    rule_set: {
      rules: rule ?? { strategy: 'cart_total', operator: 'gte', args: [1] },
      actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
    },
  }
  const { body } = await world.admin.post('/v2/rule-promotions', { data })
  const codes = { type: 'promotion_codes', codes: [{ code }] }
  const made = await world.admin.post(`/v2/rule-promotions/${body.data.id}/codes`, { data: codes })
  expect(made.status).toBe(201)
}

let addresses = 0
/** The headers of a request from an address that nobody has used. */
const from = () => {
  addresses++
  return { 'x-forwarded-for': `203.0.${addresses >> 8}.${addresses & 255}` }
}
let guesses = 0
const wrong = () => ({ type: 'promotion_item', code: `WRONG-${++guesses}` })
const right = { type: 'promotion_item', code: 'RIGHT' }
const enter = (cart: string, data: object, headers: Record<string, string>, client = world.shopper) =>
  client.post(`${cart}/items`, { data }, headers)
const wrongOnes = (n: number) => Array.from({ length: n }, wrong)

/** Guesses 50 codes, ten in each request. */
async function useUp(cartOf: () => Promise<string>, headersOf: () => Record<string, string>) {
  for (let i = 0; i < 5; i++) {
    const { status, body } = await enter(await cartOf(), wrongOnes(10), headersOf())
    expect([status, body.errors.length]).toEqual([404, 10])
  }
}

test('after 50 wrong codes from an address all codes get a 429, until 15 minutes have passed', async () => {
  const here = from()
  const ada = await signUp(world)
  // The codes that are right, or known and of no use now, neither count nor let anyone guess on.
  expect((await enter(await filledCart(world.shopper), right, here)).status).toBe(201)
  await useUp(
    () => filledCart(world.shopper),
    () => here,
  )
  const cart = await filledCart(world.shopper)
  const refused = [
    await enter(cart, wrong(), here),
    await enter(cart, right, here),
    await enter(cart, right, { ...here, ...ada.headers }),
    await enter(cart, [wrap({ sku: 'ANOTHER' }), wrong()], here),
  ]
  expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429])
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(800)
  // A refused request adds nothing, and other requests of the address go on.
  expect((await world.shopper.get(`${cart}/items`, here)).body.data).toHaveLength(1)
  expect((await enter(cart, wrap({ sku: 'ANOTHER' }), here)).status).toBe(201)
  expect((await enter(cart, right, from())).status).toBe(201)
  laterMs += 15 * 60_000
  expect((await enter(await filledCart(world.shopper), right, here)).status).toBe(201)
})

test('a stranger who guesses in a cart does not keep its shopper from entering codes', async () => {
  const cart = await filledCart(world.shopper)
  const stranger = from()
  await useUp(
    async () => cart,
    () => stranger,
  )
  expect((await enter(cart, right, stranger)).status).toBe(429)
  await useUp(async () => cart, from)
  expect((await enter(cart, right, from())).status).toBe(201)
})

test('a right code does not let anyone guess on, and neither does a sign-in', async () => {
  const ada = await signUp(world)
  const here = { ...from(), ...ada.headers }
  const guess = async (data: object) => (await enter(await filledCart(world.shopper), data, here)).status
  for (let i = 0; i < 5; i++)
    expect([await guess(wrongOnes(10)), await guess(right)]).toEqual([404, i < 4 ? 201 : 429])
})

test('a code that is known, but of no use to the cart, does not count', async () => {
  const here = from()
  const cart = await filledCart(world.shopper)
  const large = { type: 'promotion_item', code: 'LARGE' }
  for (let i = 0; i < 6; i++) {
    const { body } = await enter(cart, Array(10).fill(large), here)
    expect(body.errors[0].meta.reason.verdict).not.toBe('unknown_code')
  }
  expect((await enter(cart, right, here)).status).toBe(201)
})

test('guesses that arrive at once count one by one', async () => {
  const here = from()
  const carts = await Promise.all(Array.from({ length: 70 }, () => filledCart(world.shopper)))
  const replies = await Promise.all(carts.map((cart) => enter(cart, wrong(), here)))
  const count = (status: number) => replies.filter((reply) => reply.status === status).length
  expect([count(404), count(429)]).toEqual([50, 20])
})

test('sellers are not counted, also where they pass on a shopper’s token', async () => {
  const ada = await signUp(world)
  const here = { ...from(), ...ada.headers }
  const cart = await filledCart(world.shopper)
  for (let i = 0; i < 6; i++) expect((await enter(cart, wrongOnes(10), here, world.admin)).status).toBe(404)
  expect((await enter(cart, right, here)).status).toBe(201)
})

test('a request has at most ten codes', async () => {
  const cart = await filledCart(world.shopper)
  const { status, body } = await enter(cart, [...wrongOnes(10), right], from())
  expect([status, body.errors[0].title, body.errors[0].source]).toEqual([422, 'Limit Reached', 'data'])
})
