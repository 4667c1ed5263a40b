import { expect, test } from 'vitest'
import { promotionShop } from '../../builders/carts/promotion-shop.ts'

const shop = promotionShop()
const { add, code, newCart, percentOff, product, rule, standard, total } = shop

const idOf = (cart: string) => cart.split('/').at(-1)
async function simulate(path: string, promotion: string, cart: string) {
  const data = { cart_id: idOf(cart) }
  const { status, body } = await shop.world.admin.post(`${path}/${promotion}/simulate`, { data })
  return { status, data: body.data }
}
const amounts = ({ data }: Awaited<ReturnType<typeof simulate>>) =>
  [data.display_price.without, data.display_price.with].map(({ with_tax }) => with_tax.amount)

async function cartWith(...items: readonly object[]): Promise<string> {
  const cart = newCart()
  expect((await add(cart, items)).status).toBe(201)
  return cart
}

test('a promotion of codes is simulated as if the shopper had entered one', async () => {
  const codes = await rule(percentOff(20), { automatic: false })
  await code(codes, 'TWENTY')
  const cart = await cartWith(product('LOAF'))
  const simulation = await simulate('/v2/rule-promotions', codes, cart)
  expect(simulation.data.verdict).toMatchObject({ verdict: 'applied', amount: -200 })
  expect(amounts(simulation)).toEqual([1000, 800])
})

test('a standard promotion is simulated, also when it is over', async () => {
  const over = { start: '2020-01-01T00:00:00Z', end: '2020-02-01T00:00:00Z', enabled: false }
  const schema = { currencies: [{ currency: 'USD', amount: 150 }] }
  const promotion = await standard('fixed_discount', schema, over)
  const cart = await cartWith(product('LOAF'))
  await shop.world.admin.put(cart, { data: { discount_settings: { use_rule_promotions: false } } })
  const simulation = await simulate('/v2/promotions', promotion, cart)
  expect(simulation.data.verdict).toMatchObject({ verdict: 'applied', amount: -150 })
  expect(amounts(simulation)).toEqual([1000, 850])
})

test('the other promotions take part, and the cart costs as much once the simulated one is enabled', async () => {
  await rule(percentOff(10))
  const simulated = await rule(percentOff(50), { enabled: false })
  const simulation = await simulate('/v2/rule-promotions', simulated, await cartWith(product('LOAF')))
  const [without, withIt] = amounts(simulation)
  expect(without).toBe(900)
  const data = { type: 'rule_promotion', enabled: true }
  expect((await shop.world.admin.put(`/v2/rule-promotions/${simulated}`, { data })).status).toBe(200)
  const reply = await add(newCart(), product('LOAF'))
  expect(total(reply)).toBe(withIt)
  expect(withIt).toBe(450)
})

test('a promotion that runs already is not counted twice', async () => {
  const running = await rule(percentOff(10))
  const simulation = await simulate('/v2/rule-promotions', running, await cartWith(product('LOAF', 2)))
  expect(amounts(simulation)).toEqual([2000, 1800])
})

test('a promotion of one kind is not found among those of the other', async () => {
  const promotion = await rule(percentOff(10))
  const cart = await cartWith(product('RYE'))
  expect((await simulate('/v2/promotions', promotion, cart)).status).toBe(404)
  expect((await simulate('/v2/rule-promotions', promotion, cart)).status).toBe(200)
})

test('a simulation spends no code', async () => {
  const codes = await rule(percentOff(20), { automatic: false })
  await code(codes, 'ONCE', { uses: 1 })
  const cart = await cartWith(product('LOAF'))
  for (let i = 0; i < 3; i += 1) {
    expect((await simulate('/v2/rule-promotions', codes, cart)).data.verdict.verdict).toBe('applied')
  }
  expect((await shop.enter(cart, 'ONCE')).status).toBe(201)
})
