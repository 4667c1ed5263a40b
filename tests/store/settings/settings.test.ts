import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const settings = (fields: object = {}) => ({ data: { type: 'settings', ...fields } })

const defaults = {
  name: '',
  time_zone: '',
  page_length: 25,
  list_child_products: false,
  additional_languages: [],
  calculation_method: 'line',
  address_mandatory_fields: ['first_name', 'last_name', 'line_1', 'county', 'postcode', 'country'],
  shopper_address_limit: 25,
  shoppers_read_stock: true,
  shoppers_read_template_entries: true,
}
const fixed = {
  currency_limit: 10,
  field_limit: 100,
  integration_limit: 100,
  event_limit: 5,
  filter_limit: 10,
  tax_item_limit: 5,
  promotions_limit: 1000,
  promotion_codes_limit: 1000,
  page_offset_limit: 10_000,
}

test('a new store has the defaults, and an update changes only its fields and only this store', async () => {
  const whole = {
    data: { type: 'settings', id: world.storeId, ...defaults, ...fixed },
    meta: { owner: 'store' },
  }
  expect((await world.admin.get('/v2/settings')).body).toEqual(whole)
  const { status, body } = await world.admin.put('/v2/settings', settings({ calculation_method: 'simple' }))
  expect(status).toBe(200)
  expect(body.data).toEqual({ ...whole.data, calculation_method: 'simple' })
  expect(
    (await world.admin.put('/v2/settings', settings({ additional_languages: ['fr'] }))).body.data,
  ).toEqual({
    ...body.data,
    additional_languages: ['fr'],
  })
  expect((await world.other.get('/v2/settings')).body.data).toMatchObject(defaults)
  expect((await world.admin.delete('/v2/settings')).status).toBe(204)
  expect((await world.admin.get('/v2/settings')).body).toEqual(whole)
  expect((await world.admin.delete('/v2/settings')).status).toBe(204)
})

test('an update ignores fixed and unknown fields', async () => {
  const sent = settings({ ...fixed, currency_limit: 99, page_offset_limit: 'all', id: 'x', unheard_of: 1 })
  const { status, body } = await world.admin.put('/v2/settings', sent)
  expect(status).toBe(200)
  expect(body.data).toEqual({ type: 'settings', id: world.storeId, ...defaults, ...fixed })
})

test('the page length applies from the next request on, unless the request has a limit', async () => {
  const limit = async (query = '') => (await world.admin.get(`/v2/accounts${query}`)).body.meta.page.limit
  expect(await limit()).toBe(25)
  for (const page_length of [3, 100, 1]) {
    await world.admin.put('/v2/settings', settings({ page_length }))
    expect(await limit()).toBe(page_length)
    expect(await limit('?page[limit]=7')).toBe(7)
  }
  await world.admin.delete('/v2/settings')
  expect(await limit()).toBe(25)
})

test('concurrent updates of different fields are all stored', async () => {
  const fields = [{ page_length: 30 }, { shopper_address_limit: 9 }, { calculation_method: 'simple' }]
  const replies = await Promise.all(fields.map((each) => world.admin.put('/v2/settings', settings(each))))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await world.admin.get('/v2/settings')).body.data).toMatchObject(Object.assign({}, ...fields))
  await world.admin.delete('/v2/settings')
})

test.each([
  [undefined, 'data'],
  [null, 'data'],
  [[], 'data'],
  [{ data: null }, 'data'],
  [{ data: {} }, 'data.type'],
  [{ data: { type: 'setting' } }, 'data.type'],
  [settings({ page_length: 0 }), 'data.page_length'],
  [settings({ page_length: 101 }), 'data.page_length'],
  [settings({ page_length: '25' }), 'data.page_length'],
  [settings({ page_length: null }), 'data.page_length'],
  [settings({ calculation_method: 'sum' }), 'data.calculation_method'],
  [settings({ additional_languages: ['French'] }), 'data.additional_languages.0'],
  [settings({ address_mandatory_fields: ['line_1', 'planet'] }), 'data.address_mandatory_fields.1'],
  [settings({ shopper_address_limit: 501 }), 'data.shopper_address_limit'],
])('a request with %j is refused, and %s named', async (sent, source) => {
  const { status, body } = await world.admin.put('/v2/settings', sent)
  expect([status, body.errors[0].source]).toEqual([400, source])
})

test.each(['Europe/Berlin', 'America/Argentina/Ushuaia', 'UTC', ''])(
  '%j is a time zone that a store may have',
  async (time_zone) => {
    const { status, body } = await world.admin.put('/v2/settings', settings({ time_zone }))
    expect([status, body.data.time_zone]).toEqual([200, time_zone])
  },
)

test.each(['Europe/Bern', '+01:00', 'Etc/GMT+99', 'Berlin', ' UTC', '../etc/passwd'])(
  '%j is no time zone',
  async (time_zone) => {
    const { status, body } = await world.admin.put('/v2/settings', settings({ time_zone }))
    expect([status, body.errors[0].source]).toEqual([422, 'data.time_zone'])
  },
)

test('a store has the name of its settings, or else that of the operator', async () => {
  const shown = async () => (await world.admin.get(`/v2/stores/${world.storeId}`)).body.data.name
  const given = await shown()
  expect(given).not.toBe('')
  await world.admin.put('/v2/settings', settings({ name: 'Bloom & Sons' }))
  expect(await shown()).toBe('Bloom & Sons')
  expect((await world.admin.get('/v2/stores')).body.data[0].name).toBe('Bloom & Sons')
  await world.admin.put('/v2/settings', settings({ name: '' }))
  expect(await shown()).toBe(given)
})

const cart = '/v2/settings/cart'

test('an update changes single cart settings, also members of objects', async () => {
  const whole = {
    type: 'settings',
    cart_expiry_days: 7,
    discounts: { custom_discounts_enabled: false, use_rule_promotions: false },
    inventories: { defer_inventory_check: false },
    show_all_carts: true,
    ...{ shoppers_add_custom_items: true, shoppers_set_cart_attributes: true },
    ...{ shoppers_see_snapshots: false, shoppers_set_order_references: false },
  }
  expect((await world.admin.get(cart)).body).toEqual({ data: whole, meta: { owner: 'store' } })
  const sent = settings({ discounts: { use_rule_promotions: true, unheard_of: 1 }, cart_expiry_days: 365 })
  expect((await world.admin.put(cart, sent)).body.data).toEqual({
    ...whole,
    cart_expiry_days: 365,
    discounts: { custom_discounts_enabled: false, use_rule_promotions: true },
  })
})

test('both kinds of discount together are refused', async () => {
  await world.admin.put(cart, settings({ discounts: { use_rule_promotions: true } }))
  const { status, body } = await world.admin.put(
    cart,
    settings({ discounts: { custom_discounts_enabled: true } }),
  )
  expect(status).toBe(422)
  expect(body.errors[0]).toMatchObject({
    title: 'Cannot use both discounts together',
    detail: 'Only one discount setting can be set to true at a time.',
  })
  const other = { custom_discounts_enabled: true, use_rule_promotions: false }
  expect((await world.admin.put(cart, settings({ discounts: other }))).body.data.discounts).toEqual(other)
})

test.each([
  [settings({ cart_expiry_days: 366 }), 'data.cart_expiry_days'],
  [settings({ cart_expiry_days: 0 }), 'data.cart_expiry_days'],
  [settings({ discounts: null }), 'data.discounts'],
  [settings({ discounts: { use_rule_promotions: 'yes' } }), 'data.discounts.use_rule_promotions'],
  [settings({ inventories: [] }), 'data.inventories'],
])('cart settings with %j are refused, and %s named', async (sent, source) => {
  const { status, body } = await world.admin.put(cart, sent)
  expect([status, body.errors[0].source]).toEqual([400, source])
})

test('only callers of a store can read it', async () => {
  const { status, body } = await world.admin.get(`/v2/stores/${world.storeId}`)
  expect([status, body]).toEqual([200, { data: { type: 'store', id: world.storeId, name: 'Store' } }])
  expect((await world.other.get(`/v2/stores/${world.storeId}`)).status).toBe(404)
  expect((await world.admin.get('/v2/stores/x')).status).toBe(404)
})

test('the list of stores has the store of the token', async () => {
  for (const path of ['/v2/stores', '/v2/stores/']) {
    const { status, body } = await world.admin.get(path)
    expect([status, body.data.length, body.data[0].type, body.data[0].id]).toEqual([
      200,
      1,
      'store',
      world.storeId,
    ])
    expect([body.data[0].name.length > 0, body.meta.results.total]).toEqual([true, 1])
  }
  expect((await world.admin.get('/v2/stores?page[offset]=1')).body.data).toEqual([])
  const { body } = await world.other.get('/v2/stores')
  expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(world.storeId)
  expect((await world.shopper.get('/v2/stores')).status).toBe(403)
})

test('shoppers cannot read settings', async () => {
  for (const path of ['/v2/settings', cart, `/v2/stores/${world.storeId}`]) {
    expect((await world.shopper.get(path)).status).toBe(403)
  }
})
