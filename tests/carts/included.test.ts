import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
let onCart: string
let onItems: string
beforeAll(async () => {
  world = await openWorld()
  const settings = { discounts: { use_rule_promotions: true, custom_discounts_enabled: false } }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...settings } })
  onCart = await rule({ strategy: 'cart_discount', args: ['percent', 10] })
  onItems = await rule({ strategy: 'item_discount', args: ['fixed', 100] })
  await rule({ strategy: 'cart_discount', args: ['percent', 50] }, { enabled: false })
})
afterAll(() => world.close())

async function rule(action: object, more: object = {}): Promise<string> {
  const rules = { strategy: 'cart_total', operator: 'gte', args: [1] }
  const { status, body } = await world.admin.post('/v2/rule-promotions', {
    data: {
      ...{ type: 'rule_promotion', name: 'A rule', enabled: true, automatic: true },
      ...{ start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z' },
      rule_set: { rules, actions: [action] },
      ...more,
    },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data.id
}

const path = '/v2/carts/included'
beforeAll(async () => {
  const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 1000 } }
  const tax = [{ name: 'VAT', rate: 0.2 }]
  await world.admin.post(`${path}/items`, { data: { ...item, tax } })
})

const idsIn = (list: readonly Any[]) => list.map(({ id }) => id).sort()
const read = async (...names: readonly string[]) =>
  (await world.shopper.get(`${path}?${names.map((name) => `include=${name}`).join('&')}`)).body

test('a cart links to its promotions only where the request includes them', async () => {
  for (const names of [[], ['items'], ['tax_items']]) {
    const { data, included } = await read(...names)
    expect([data.relationships.promotions, included?.promotions]).toEqual([undefined, undefined])
  }
  const empty = await world.shopper.get('/v2/carts/nobody-wrote?include=promotions')
  expect([empty.body.data.relationships.promotions, empty.body.included]).toEqual([
    ...[{ data: [] }, { promotions: [] }],
  ])
})

test('promotions of a cart are included without those of its items, unless these are included, too', async () => {
  const alone = await read('promotions')
  const links = { data: [{ type: 'promotion', id: onCart }] }
  expect([alone.data.relationships.promotions, idsIn(alone.included.promotions)]).toEqual([links, [onCart]])
  const { data, included } = await read('items', 'promotions')
  expect(data.relationships.promotions).toEqual(links)
  expect(idsIn(included.promotions)).toEqual([onCart, onItems].sort())
  const [item] = included.items
  expect(idsIn(item.relationships.promotions.data)).toEqual([onCart, onItems].sort())
})

test('what a cart includes may be named one by one, or in one list', async () => {
  const names = ['items', 'promotions', 'tax_items', 'custom_discounts']
  const { included } = await read(...names)
  expect(Object.keys(included).sort()).toEqual(names.toSorted())
  expect(included.tax_items).toEqual([{ type: 'tax_item', id: expect.any(String), name: 'VAT', rate: 0.2 }])
  expect(included.items[0].relationships.taxes.data).toEqual([
    { type: 'tax_item', id: included.tax_items[0].id },
  ])
  expect((await read(names.join())).included).toEqual(included)
})

test('the items of a cart include the promotions of both', async () => {
  const { body } = await world.shopper.get(`${path}/items?include=promotions`)
  expect(idsIn(body.included.promotions)).toEqual([onCart, onItems].sort())
})

test('included promotions have times of day, also where a merchant has sent days', async () => {
  const days = { start: '2021-02-03', end: '2098-01-01 10:30' }
  const action = { strategy: 'cart_discount', args: ['fixed', 1] }
  const id = await rule(action, days)
  const { included } = await read('items', 'promotions')
  expect(included.promotions.find((one: Any) => one.id === id)).toMatchObject({
    start: '2021-02-03T00:00:00Z',
    end: '2098-01-01T10:30:00Z',
  })
})
