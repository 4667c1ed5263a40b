import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

/** Conditions that say nothing about items: whose cart it is, and what its attributes are. */

let world: World
beforeAll(async () => {
  world = await openWorld()
  const settings = { discounts: { use_rule_promotions: true, custom_discounts_enabled: false } }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', ...settings } })
})
afterAll(() => world.close())

async function create(path: string, data: object): Promise<string> {
  const { status, body } = await world.admin.post(path, { data })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}
const rule = (rules: object) =>
  create('/v2/rule-promotions', {
    ...{ type: 'rule_promotion', name: 'A rule', enabled: true, automatic: true },
    ...{ start: '2020-01-01', end: '2099-01-01' },
    rule_set: { rules, actions: [{ strategy: 'cart_discount', args: ['percent', 10] }] },
  })
const item = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 1000 } }
const totalOf = async (cart: string) =>
  (await world.admin.get(`/v2/carts/${cart}`)).body.data.meta.display_price.with_tax.amount

test('account tags apply to carts of accounts that have them, from the next read on', async () => {
  const tag = await create('/v2/account-tags', { type: 'account_tag', name: 'VIP' })
  const account = await create('/v2/accounts', { type: 'account', name: 'Acme', legal_name: 'Acme Ltd' })
  await world.admin.post('/v2/carts/tagged/items', { data: item })
  const promotion = await rule({
    strategy: 'and',
    children: [
      { strategy: 'account_tags', operator: 'contains_any', args: [tag] },
      { strategy: 'cart_total', operator: 'gte', args: [1000] },
    ],
  })
  expect(await totalOf('tagged')).toBe(1000)
  const owner = { data: [{ type: 'account', id: account }] }
  expect((await world.admin.post('/v2/carts/tagged/relationships/accounts', owner)).status).toBe(200)
  expect(await totalOf('tagged')).toBe(1000)
  const tags = { data: [{ type: 'account_tag', id: tag }] }
  await world.admin.post(`/v2/accounts/${account}/relationships/account-tags`, tags)
  expect(await totalOf('tagged')).toBe(900)
  await world.admin.send('DELETE', `/v2/accounts/${account}/relationships/account-tags`, {
    body: JSON.stringify(tags),
  })
  expect(await totalOf('tagged')).toBe(1000)
  await world.admin.delete(`/v2/rule-promotions/${promotion}`)
})

test('custom attributes of the cart are compared with their type', async () => {
  await world.admin.post('/v2/carts/attributed/items', { data: item })
  const promotion = await rule({
    strategy: 'cart_custom_attribute',
    ...{ operator: 'gte', args: ['guests', 'integer', 4] },
  })
  const withGuests = async (type: string, value: unknown) => {
    const data = { custom_attributes: { guests: { type, value } } }
    expect((await world.admin.put('/v2/carts/attributed', { data })).status).toBe(200)
    return totalOf('attributed')
  }
  expect(await totalOf('attributed')).toBe(1000)
  expect(await withGuests('integer', 4)).toBe(900)
  expect(await withGuests('integer', 3)).toBe(1000)
  expect(await withGuests('string', '4')).toBe(1000)
  await world.admin.delete(`/v2/rule-promotions/${promotion}`)
})
