import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Bag = Readonly<Record<string, unknown>>

const base = {
  ...{ type: 'promotion', name: 'Sale', description: 'Winter', promotion_type: 'fixed_discount' },
  ...{ start: '2026-01-01', end: '2036-01-01T12:00:00Z' },
}
const usd = (amount: number) => [{ currency: 'USD', amount }]
const percentages = (percentage: number) => [{ currency: 'USD', percentage }]
const create = (data: Bag) => world.admin.post('/v2/promotions', { data: { ...base, ...data } })
const node = '7ff1a7d2-3d5c-4a3b-a8cb-0d6d29c2fb55'
const brand = { template: 'products(shoes)', field: 'brand', type: 'string' }
const requirements = [{ targets: ['racket', 'bat'], quantity: 2 }]

const accepted: readonly (readonly [type: string, schema: Bag])[] = [
  ['fixed_discount', { currencies: usd(500), target_catalogs: [node] }],
  ['fixed_discount', { currencies: usd(0), exclude: { targets: ['gift-card'], nodes: [node] } }],
  ['percent_discount', { currencies: percentages(12.345678) }],
  ['item_fixed_discount', { currencies: usd(300), targets: ['all'] }],
  ['item_fixed_discount', { currencies: usd(300), target_attributes: [{ ...brand, value: 'EP' }] }],
  ['item_percent_discount', { percent: 15, targets: ['shoe'], target_nodes: [node] }],
  [
    'item_percent_discount',
    { currencies: percentages(10), target_attributes: [{ attribute: { ...brand, values: ['EP'] } }] },
  ],
  [
    'item_percent_discount',
    {
      percent: 100,
      target_conditions: {
        or: [{ and: [{ node: { values: [node] } }, { attribute: { ...brand, value: 'EP' } }] }],
      },
    },
  ],
  ['x_for_y', { x: 3, y: 2, targets: ['mug'] }],
  ['x_for_y', { x: 1, y: 0, targets: ['mug'] }],
  ['x_for_amount', { x: 3, currencies: usd(1200), targets: ['mug'] }],
  ['bundle_fixed_discount', { requirements, currencies: usd(4000) }],
  ['bundle_gift', { requirements, gifts: ['ball'], auto_add_free_gift: true }],
]

test.each(accepted)('%s is accepted and shown as it was sent: %j', async (promotion_type, schema) => {
  const { status, body } = await create({ promotion_type, schema })
  expect([status, body.data?.schema, body.errors]).toEqual([201, schema, undefined])
})

const items = { targets: ['all'] }
const refused: readonly (readonly [fault: string, source: string, type: string, schema: Bag])[] = [
  ['no currencies', 'data.schema.currencies', 'fixed_discount', {}],
  ['an empty list of currencies', 'data.schema.currencies', 'fixed_discount', { currencies: [] }],
  [
    'a currency without an amount',
    'data.schema.currencies.0.amount',
    'fixed_discount',
    { currencies: [{ currency: 'USD' }] },
  ],
  [
    'a percentage in place of an amount',
    'data.schema.currencies.0.amount',
    'item_fixed_discount',
    { ...items, currencies: percentages(5) },
  ],
  ['a negative amount', 'data.schema.currencies.0.amount', 'fixed_discount', { currencies: usd(-1) }],
  ['a fraction', 'data.schema.currencies.0.amount', 'fixed_discount', { currencies: usd(0.5) }],
  ['over 100 %', 'data.schema.currencies.0.percentage', 'percent_discount', { currencies: percentages(101) }],
  [
    'seven decimals',
    'data.schema.currencies.0.percentage',
    'percent_discount',
    { currencies: percentages(1.2345678) },
  ],
  [
    'a currency twice',
    'data.schema.currencies.1.currency',
    'fixed_discount',
    { currencies: [...usd(1), ...usd(2)] },
  ],
  [
    'a currency that the store lacks',
    'data.schema.currencies.0.currency',
    'fixed_discount',
    { currencies: [{ currency: 'XAU', amount: 1 }] },
  ],
  [
    'targets of a discount of the cart',
    'data.schema.targets',
    'percent_discount',
    { currencies: percentages(5), ...items },
  ],
  ['no targets', 'data.schema.targets', 'item_fixed_discount', { currencies: usd(1) }],
  [
    'nodes beside all products',
    'data.schema.target_nodes',
    'x_for_y',
    { x: 2, y: 1, ...items, target_nodes: [node] },
  ],
  [
    'a node that is not an id',
    'data.schema.target_nodes.0',
    'x_for_y',
    { x: 2, y: 1, target_nodes: ['shoes'] },
  ],
  ['no percentage', 'data.schema.percent', 'item_percent_discount', items],
  [
    'an attribute without a value',
    'data.schema.target_attributes.0.value',
    'item_percent_discount',
    { percent: 5, target_attributes: [brand] },
  ],
  [
    'an attribute without a field',
    'data.schema.target_attributes.0.template',
    'item_percent_discount',
    { percent: 5, target_attributes: [{ value: 'EP' }] },
  ],
  [
    'an empty condition',
    'data.schema.target_conditions.or.0.and.0',
    'item_percent_discount',
    { percent: 5, target_conditions: { or: [{ and: [{}] }] } },
  ],
  [
    'an empty list of conditions',
    'data.schema.target_conditions.or.0.and',
    'item_percent_discount',
    { percent: 5, target_conditions: { or: [{ and: [] }] } },
  ],
  ['y that is not less than x', 'data.schema.y', 'x_for_y', { x: 2, y: 2, ...items }],
  ['x of zero', 'data.schema.x', 'x_for_y', { x: 0, y: 0, ...items }],
  ['no requirements', 'data.schema.requirements', 'bundle_gift', { gifts: ['ball'] }],
  [
    'a requirement without targets',
    'data.schema.requirements.0.targets',
    'bundle_fixed_discount',
    { requirements: [{ targets: [], quantity: 1 }], currencies: usd(1) },
  ],
  [
    'nodes of a gift',
    'data.schema.target_nodes',
    'bundle_gift',
    { requirements, gifts: ['ball'], target_nodes: [node] },
  ],
  ['no gifts', 'data.schema.gifts', 'bundle_gift', { requirements, gifts: [] }],
  [
    'an excluded attribute without a type',
    'data.schema.exclude.attributes.0.type',
    'fixed_discount',
    { currencies: usd(1), exclude: { attributes: [{ template: 'a', field: 'b', value: 1 }] } },
  ],
  ['a list in place of the schema', 'data.schema', 'fixed_discount', [] as unknown as Bag],
  [
    'too much text',
    'data.schema',
    'fixed_discount',
    {
      currencies: usd(1),
      exclude: { targets: Array.from({ length: 1000 }, (_, n) => `${n}-${'x'.repeat(200)}`) },
    },
  ],
]

test.each(refused)('%s is refused at %s', async (_, source, promotion_type, schema) => {
  const { status, body } = await create({ promotion_type, schema })
  expect([status, body.errors[0].source]).toEqual([422, source])
  const { detail } = body.errors[0]
  expect(detail.includes(`${source} must `) || detail.includes(`(${source})`), detail).toBe(true)
})

describe('limits and periods', () => {
  const schema = { currencies: usd(500) }

  test('amounts are a list or a single one, in currencies of the store', async () => {
    const single = await create({ schema, min_cart_value: usd(100)[0] })
    expect([single.status, single.body.data.min_cart_value]).toEqual([201, { currency: 'USD', amount: 100 }])
    const list = await create({ schema, max_discount_value: usd(100), max_applications_per_cart: 0 })
    expect([list.status, list.body.data.max_discount_value]).toEqual([201, usd(100)])
    const unknown = await create({ schema, min_cart_value: [{ currency: 'XAU', amount: 1 }] })
    expect([unknown.status, unknown.body.errors[0].source]).toEqual([422, 'data.min_cart_value.0.currency'])
    expect(unknown.body.errors[0].detail).toBe(
      'data.min_cart_value.0.currency must be a currency of the store (USD), not XAU.',
    )
    const without = await create({ schema, min_cart_value: [{ currency: 'USD' }] })
    expect([without.status, without.body.errors[0].source]).toEqual([422, 'data.min_cart_value.0.amount'])
  })

  test('null removes a limit', async () => {
    const { body } = await create({ schema, min_cart_value: usd(100), max_applications_per_cart: 3 })
    const data = { type: 'promotion', min_cart_value: null, max_applications_per_cart: null }
    const changed = await world.admin.put(`/v2/promotions/${body.data.id}`, { data })
    expect(changed.body.data).not.toHaveProperty('min_cart_value')
    expect(changed.body.data).not.toHaveProperty('max_applications_per_cart')
  })

  test.each([
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T10:00:00+02:00', '2026-01-01T08:00:00Z'],
    ['2026-02-30', '2026-03-01'],
    ['soon', '2026-03-01'],
  ])('a promotion from %s until %s is refused', async (start, end) => {
    const { status, body } = await create({ schema, start, end })
    const source = Number.isNaN(Date.parse(start)) || start === '2026-02-30' ? 'data.start' : 'data.end'
    expect([status, body.errors[0].source]).toEqual([422, source])
  })

  test('a currency that is gone does not stand in the way of a change', async () => {
    const currency = await world.admin.post('/v2/currencies', {
      data: {
        ...{ code: 'NOK', exchange_rate: 1, format: '{price}', decimal_point: '.', thousand_separator: '' },
        ...{ decimal_places: 2, enabled: true },
      },
    })
    const { body } = await create({ schema: { currencies: [{ currency: 'NOK', amount: 1 }] } })
    await world.admin.delete(`/v2/currencies/${currency.body.data.id}`)
    const data = { type: 'promotion', enabled: true }
    expect((await world.admin.put(`/v2/promotions/${body.data.id}`, { data })).status).toBe(200)
  })

  test('a new type must fit the schema, and an update replaces all of it', async () => {
    const { body } = await create({ schema: { ...schema, exclude: { targets: ['a'] } } })
    const put = (data: Bag) =>
      world.admin.put(`/v2/promotions/${body.data.id}`, { data: { type: 'promotion', ...data } })
    const other = await put({ promotion_type: 'x_for_y' })
    expect([other.status, other.body.errors[0].source]).toEqual([422, 'data.schema.x'])
    const replaced = await put({ schema: { ...schema, unknown: 1, exclude: null } })
    expect([replaced.status, replaced.body.data.schema]).toEqual([200, schema])
    const both = await put({ promotion_type: 'x_for_y', schema: { x: 3, y: 2, targets: ['all'] } })
    expect([both.status, both.body.data.id]).toEqual([200, body.data.id])
  })
})

test('the history has each version of a promotion, the newest first', async () => {
  const { body } = await create({ schema: { currencies: usd(500) } })
  const { id } = body.data
  const history = async () => (await world.admin.get(`/v2/promotions/${id}/history`)).body
  expect((await history()).data).toMatchObject([{ name: 'Sale', parent_id: id, current: true }])
  for (const name of ['Second', 'Third']) {
    const changed = await world.admin.put(`/v2/promotions/${id}`, { data: { type: 'promotion', name } })
    expect(changed.body.data.id).toBe(id)
  }
  const { data, meta } = await history()
  const shown = data.map((one: { name: string; current: boolean }) => [one.name, one.current])
  expect(shown).toEqual([
    ['Third', true],
    ['Second', false],
    ['Sale', false],
  ])
  expect(meta.results.total).toBe(3)
  const page = await world.admin.get(`/v2/promotions/${id}/history?page[limit]=1&page[offset]=1`)
  expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual(['Second'])
  await world.admin.delete(`/v2/promotions/${id}`)
  expect((await world.admin.get(`/v2/promotions/${id}/history`)).status).toBe(404)
})

test('the history keeps the latest 100 versions of each promotion', async () => {
  const ids = [
    await create({ schema: { currencies: usd(500) } }),
    await create({ schema: { currencies: usd(500) } }),
  ].map(({ body }) => body.data.id)
  const [id, other] = ids
  for (let n = 1; n <= 102; n++) {
    const data = { type: 'promotion', name: `Name ${n}` }
    expect((await world.admin.put(`/v2/promotions/${id}`, { data })).status).toBe(200)
  }
  const { data, meta } = (await world.admin.get(`/v2/promotions/${id}/history?page[limit]=100`)).body
  expect([meta.results.total, data[0].name, data.at(-1).name]).toEqual([100, 'Name 102', 'Name 3'])
  expect((await world.admin.get(`/v2/promotions/${other}/history`)).body.meta.results.total).toBe(1)
})

test('promotions are found by the filters of the public contract', async () => {
  const schema = { currencies: usd(500) }
  const { body } = await create({ name: 'Found it', schema, start: '2031-05-01', end: '2031-06-01' })
  const { id } = body.data
  const filters = [
    `eq(promo_id,${id})`,
    'eq(promo_name,Found it)',
    'like(promo_name,Found*):eq(promo_type,fixed_discount)',
    'eq(promo_start_date,2031-05-01)',
    'ge(promo_start_date,2031-05-01):lt(promo_end_date,2031-06-02)',
    'gr(promo_start_date,2031-05-01):lt(promo_end_date,2031-06-02)',
  ]
  for (const filter of filters) {
    const found = await world.admin.get(`/v2/promotions?filter=${encodeURIComponent(filter)}`)
    expect([filter, found.body.data?.map((one: { id: string }) => one.id)]).toEqual([filter, [id]])
  }
})

const idsFor = async (filter: string) => {
  const { body } = await world.admin.get(`/v2/promotions?filter=${encodeURIComponent(filter)}`)
  return body.data.map((one: { id: string }) => one.id)
}

test('promotions are found by their status', async () => {
  const [past, now, later] = [
    { start: '2020-01-01', end: '2020-02-01' },
    { start: '2020-01-01', end: '2999-01-01' },
    { start: '2998-01-01', end: '2999-01-01' },
  ]
  const of = async (period: object, enabled = true) =>
    (await create({ name: 'By status', schema: { currencies: usd(500) }, enabled, ...period })).body.data.id
  const ids = {
    Expired: await of(past),
    Running: await of(now),
    Scheduled: await of(later),
    Disabled: await of(now, false),
  }
  for (const [status, id] of Object.entries(ids)) {
    expect([status, await idsFor(`eq(promo_name,By status):eq(promo_status,${status})`)]).toEqual([
      status,
      [id],
    ])
  }
  expect(await idsFor('eq(promo_name,By status):in(promo_status,running,expired)')).toHaveLength(2)
  expect(await idsFor('eq(promo_status,constructor)')).toEqual([])
})

test('promotions are found by the products that they name, and not by those that they exclude', async () => {
  const percent = { promotion_type: 'item_percent_discount' }
  const currencies = [{ currency: 'USD', percentage: 10 }]
  const make = async (data: object) => (await create({ name: 'By product', ...data })).body.data.id
  const line = await make({
    ...percent,
    schema: { currencies, targets: ['TEA', 'CUP'], exclude: { targets: ['RUG'] } },
  })
  const requirements = [
    { targets: ['POT'], quantity: 1 },
    { targets: ['CUP'], quantity: 4 },
  ]
  const bundle = await make({
    promotion_type: 'bundle_fixed_discount',
    schema: { currencies: usd(500), requirements },
  })
  const gift = await make({
    promotion_type: 'bundle_gift',
    schema: {
      requirements: [{ targets: ['POT'], quantity: 1 }],
      gifts: ['SPOON'],
    },
  })
  const found = async (filter: string) => (await idsFor(`eq(promo_name,By product):${filter}`)).sort()
  expect(await found('eq(promo_skus_prod_ids,CUP)')).toEqual([line, bundle].sort())
  expect(await found('in(promo_skus_prod_ids,TEA,SPOON)')).toEqual([line, gift].sort())
  expect(await found('like(promo_skus_prod_ids,*PO*)')).toEqual([bundle, gift].sort())
  expect(await found('eq(promo_skus_prod_ids,RUG)')).toEqual([])
})
