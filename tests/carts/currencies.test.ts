import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const currencies = '/v2/currencies'
const yen = {
  ...{ type: 'currency', code: 'JPY', format: '¥{price}', exchange_rate: 1, enabled: true },
  ...{ decimal_point: '.', thousand_separator: ',', decimal_places: 0 },
}
const engraving = (amount: number) => ({
  data: { type: 'custom_item', name: 'Engraving', quantity: 1, price: { amount } },
})

test.each(['disabled', 'deleted'])('a cart keeps a currency that is %s', async (how) => {
  const [dollar] = (await world.admin.get(currencies)).body.data
  const put = (id: string, values: object) =>
    world.admin.put(`${currencies}/${id}`, { data: { type: 'currency', ...values } })
  const { id } = (await world.admin.post(currencies, { data: { ...yen, default: true } })).body.data
  const path = `/v2/carts/paid-in-a-currency-that-is-${how}`
  await world.shopper.post(`${path}/items`, engraving(10_000))
  await put(dollar.id, { default: true })
  if (how === 'deleted') await world.admin.delete(`${currencies}/${id}`)
  else await put(id, { enabled: false })
  const total = async () =>
    (await world.shopper.get(path)).body.data.meta.display_price.with_tax.formatted as string
  expect(await total()).toBe('¥10,000')
  expect((await world.shopper.post(`${path}/items`, engraving(500))).status).toBe(201)
  expect(await total()).toBe('¥10,500')
  if (how === 'disabled') await world.admin.delete(`${currencies}/${id}`)
})

test('a cart takes the format of its currency from a new currency with the same code', async () => {
  const create = async (more: object) =>
    (await world.admin.post(currencies, { data: { ...yen, ...more } })).body.data.id
  const first = await create({})
  const path = '/v2/carts/paid-in-a-currency-of-another-format'
  await world.shopper.post(`${path}/items`, engraving(10_000), { 'x-moltin-currency': 'JPY' })
  const total = async () =>
    (await world.shopper.get(path)).body.data.meta.display_price.with_tax.formatted as string
  expect(await total()).toBe('¥10,000')
  await world.admin.delete(`${currencies}/${first}`)
  // With as many changes as the first: none.
  await create({ format: '{price} yen' })
  expect(await total()).toBe('10,000 yen')
})
