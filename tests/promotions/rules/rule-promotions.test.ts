import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Bag = Readonly<Record<string, unknown>>

const base = { type: 'rule_promotion', name: 'Sale', start: '2026-01-01', end: '2036-01-01' }
const tenPercent = { strategy: 'cart_discount', args: ['percent', 10] }
const create = (data: Bag) => world.admin.post('/v2/rule-promotions', { data: { ...base, ...data } })
const withRules = (rules: unknown, actions: unknown = [tenPercent]) =>
  create({ rule_set: { rules, actions } })
const id = '7ff1a7d2-3d5c-4a3b-a8cb-0d6d29c2fb55'
const shoe = { strategy: 'item_sku', operator: 'in', args: ['shoe'] }
const total = { strategy: 'cart_total', operator: 'gte', args: [10_000] }
const tagged = { strategy: 'account_tags', operator: 'contains_all', args: [id] }
const bundle = {
  strategy: 'items_bundle',
  children: [{ strategy: 'and', children: [shoe, { strategy: 'item_quantity', operator: 'eq', args: [2] }] }],
}

const rules: readonly unknown[] = [
  total,
  [total, shoe],
  { strategy: 'or', children: [tagged, { strategy: 'and', children: [total, tagged] }] },
  { ...total, operator: 'range', args: [100, 200] },
  { ...total, children: [{ ...shoe, operator: 'nin' }] },
  { strategy: 'and', children: [total, { strategy: 'or', children: [shoe, { ...shoe, args: ['sock'] }] }] },
  { strategy: 'account_tags', operator: 'not_contains_any', args: [id] },
  { strategy: 'cart_custom_attribute', operator: 'in', args: ['gift', 'boolean', true, false] },
  { strategy: 'cart_custom_attribute', operator: 'gte', args: ['age', 'integer', 18] },
  {
    strategy: 'item_attribute',
    operator: 'in',
    args: ['products(shoes)', 'brand', 'string', 'EP', 'Sutler'],
  },
  {
    strategy: 'item_category',
    operator: 'in',
    args: [id],
    children: [{ strategy: 'item_price', operator: 'lt', args: [500] }],
  },
  { strategy: 'item_identifier', operator: 'in', args: [{ skus: ['shoe'], ids: [id] }] },
  {
    ...{ strategy: 'item_identifier', operator: 'in', args: [{ skus: ['shoe'] }] },
    children: [{ strategy: 'item_custom_attribute', operator: 'eq', args: ['engraved', 'boolean', true] }],
  },
  { strategy: 'item_product_id', operator: 'nin', args: [id] },
  { strategy: 'item_quantity', operator: 'ne', args: [2] },
  bundle,
]

test.each(rules.map((one) => [JSON.stringify(one), one] as const))(
  'rules are accepted: %s',
  async (_, one) => {
    const { status, body } = await withRules(one)
    expect([status, body.data?.rule_set, body.errors]).toEqual([
      201,
      { rules: one, actions: [tenPercent] },
      undefined,
    ])
  },
)

const actions: readonly Bag[] = [
  { strategy: 'cart_discount', args: ['fixed', 500], condition: total },
  { strategy: 'item_discount', args: ['fixed_price', 2, 10_000], condition: [shoe] },
  {
    strategy: 'item_discount',
    args: ['fixed', 0],
    limitations: {
      max_discount: 1000,
      max_quantity: 2,
      items: { max_items: 2, max_units: 3, price_strategy: 'expensive', show_suggestions: true },
    },
  },
  { strategy: 'items_bundle_discount', args: ['fixed_price', 18_000], condition: bundle },
  { strategy: 'item_bundle_discount', args: ['percent', 12.5], condition: bundle },
  {
    strategy: 'shipping_discount',
    args: ['fixed_price', 0],
    condition: { strategy: 'shipping_type', operator: 'in', args: ['express'] },
  },
]

test.each(actions)('the action is accepted: %j', async (action) => {
  const { status, body } = await withRules(shoe, [action])
  expect([status, body.data?.rule_set.actions, body.errors]).toEqual([201, [action], undefined])
})

const deep = (levels: number): unknown =>
  levels > 1 ? { strategy: 'and', children: [deep(levels - 1)] } : shoe
const many = (count: number) => ({ strategy: 'or', children: Array.from({ length: count }, () => shoe) })

const at = 'data.rule_set.rules'
const refusedRules: readonly (readonly [fault: string, source: string, rules: unknown])[] = [
  ['an unknown strategy', `${at}.strategy`, { strategy: 'moon_phase' }],
  ['a strategy that every object inherits', `${at}.strategy`, { strategy: 'constructor' }],
  ['a text', `${at}.1`, [shoe, 'shoe']],
  ['no operator', `${at}.operator`, { strategy: 'item_sku', args: ['shoe'] }],
  ['the operator of another strategy', `${at}.operator`, { ...shoe, operator: 'gt' }],
  ['no arguments', `${at}.args`, { strategy: 'item_sku', operator: 'in' }],
  ['an empty list of arguments', `${at}.args`, { ...shoe, args: [] }],
  ['401 products', `${at}.args`, { ...shoe, args: Array.from({ length: 401 }, (_, n) => `sku-${n}`) }],
  [
    '26 account tags',
    `${at}.args`,
    { strategy: 'account_tags', operator: 'contains_all', args: Array.from({ length: 26 }, () => id) },
  ],
  ['a number in place of a SKU', `${at}.args.1`, { ...shoe, args: ['a', 1] }],
  ['a text in place of a number', `${at}.args.0`, { ...total, args: ['10000'] }],
  ['a negative number', `${at}.args.0`, { ...total, args: [-1] }],
  ['two numbers', `${at}.args`, { ...total, args: [1, 2] }],
  ['half a range', `${at}.args`, { ...total, operator: 'range', args: [1] }],
  ['a range that ends before it starts', `${at}.args.1`, { ...total, operator: 'range', args: [2, 1] }],
  [
    'a category that is not an id',
    `${at}.args.0`,
    { strategy: 'item_category', operator: 'in', args: ['shoes'] },
  ],
  ['no products', `${at}.args.0`, { strategy: 'item_identifier', operator: 'in', args: [{ skus: [] }] }],
  [
    'an attribute of an unknown type',
    `${at}.args.2`,
    { strategy: 'item_attribute', operator: 'in', args: ['a', 'b', 'text', 'c'] },
  ],
  [
    'an attribute without a value',
    `${at}.args`,
    { strategy: 'item_attribute', operator: 'in', args: ['a', 'b', 'string'] },
  ],
  [
    'a value of another type',
    `${at}.args.2`,
    { strategy: 'cart_custom_attribute', operator: 'gt', args: ['a', 'integer', '5'] },
  ],
  [
    'a comparison of texts',
    `${at}.args.1`,
    { strategy: 'cart_custom_attribute', operator: 'gt', args: ['a', 'string', 'b'] },
  ],
  ['`and` of nothing', `${at}.children`, { strategy: 'and', children: [] }],
  ['a bundle of nothing', `${at}.children`, { strategy: 'items_bundle' }],
  ['a cart condition below an item', `${at}.children.0.strategy`, { ...shoe, children: [total] }],
  [
    'a cart condition in an `or` below an item',
    `${at}.children.0.children.1.strategy`,
    { ...shoe, children: [{ strategy: 'or', children: [shoe, total] }] },
  ],
  [
    'account tags below a total',
    `${at}.children.0.children.0.strategy`,
    { ...total, children: [{ strategy: 'and', children: [tagged] }] },
  ],
  [
    'children of account tags',
    `${at}.children`,
    { strategy: 'account_tags', operator: 'contains_all', args: [id], children: [shoe] },
  ],
  ['11 levels', `${at}${'.children.0'.repeat(10)}`, deep(11)],
  ['60 levels', `${at}${'.children.0'.repeat(10)}`, deep(26)],
  ['501 conditions', `${at}.children`, many(500)],
]

test.each(refusedRules)('%s is refused at %s', async (_, source, one) => {
  const { status, body } = await withRules(one)
  expect([status, body.errors[0].source]).toEqual([400, source])
})

const action = 'data.rule_set.actions.0'
const refusedActions: readonly (readonly [fault: string, source: string, action: Bag])[] = [
  ['an unknown action', `${action}.strategy`, { strategy: 'gift', args: ['fixed', 1] }],
  ['an unknown form', `${action}.args.0`, { strategy: 'cart_discount', args: ['fixed_price', 1] }],
  ['101 percent', `${action}.args.1`, { strategy: 'cart_discount', args: ['percent', 101] }],
  ['a fraction of an amount', `${action}.args.1`, { strategy: 'cart_discount', args: ['fixed', 0.5] }],
  ['an amount as text', `${action}.args.1`, { strategy: 'cart_discount', args: ['fixed', '5'] }],
  ['no units', `${action}.args.1`, { strategy: 'item_discount', args: ['fixed_price', 0, 5] }],
  ['too many arguments', `${action}.args`, { strategy: 'cart_discount', args: ['percent', 1, 2] }],
  ['account tags in a condition', `${action}.condition.strategy`, { ...tenPercent, condition: tagged }],
  [
    'account tags in an `and` of a condition',
    `${action}.condition.children.1.strategy`,
    { ...tenPercent, condition: { strategy: 'and', children: [shoe, tagged] } },
  ],
  [
    'items of a discount of shipping',
    `${action}.condition.strategy`,
    { strategy: 'shipping_discount', args: ['fixed', 1], condition: shoe },
  ],
  [
    'units of a discount of the cart',
    `${action}.limitations.max_quantity`,
    { ...tenPercent, limitations: { max_quantity: 1 } },
  ],
  [
    'adding items without a code',
    `${action}.limitations.items.auto_add`,
    { strategy: 'item_discount', args: ['percent', 100], limitations: { items: { auto_add: true } } },
  ],
  ['a bundle without groups', action, { strategy: 'items_bundle_discount', args: ['percent', 10] }],
]

test.each(refusedActions)('%s is refused at %s', async (_, source, one) => {
  const { status, body } = await withRules(undefined, [one])
  expect([status, body.errors[0].source]).toEqual([400, source])
})

describe('whole promotions', () => {
  test('500 conditions in 10 levels are accepted', async () => {
    expect((await withRules(many(499))).status).toBe(201)
    expect((await withRules(deep(10))).status).toBe(201)
  })

  // check-nodes.test.ts counts how much of it is looked at.
  test('a huge tree is refused', async () => {
    const children = Array.from({ length: 400_000 }, () => 0)
    expect((await withRules({ strategy: 'or', children })).status).toBe(400)
  })

  test('auto_add needs an automatic promotion, also later', async () => {
    const free = {
      strategy: 'item_discount',
      args: ['percent', 100],
      limitations: { items: { auto_add: true } },
    }
    const { status, body } = await create({
      automatic: true,
      rule_set: { rules: total, actions: [{ ...free, condition: shoe }] },
    })
    expect(status).toBe(201)
    const data = { type: 'rule_promotion', automatic: false }
    const changed = await world.admin.put(`/v2/rule-promotions/${body.data.id}`, { data })
    expect([changed.status, changed.body.errors[0].source]).toEqual([
      400,
      'data.rule_set.actions.0.limitations.items.auto_add',
    ])
  })

  test('the store must have the currencies', async () => {
    const rule_set = { currencies: ['USD', 'XAU'], actions: [tenPercent] }
    const { status, body } = await create({ rule_set })
    expect([status, body.errors[0].source]).toEqual([422, 'data.rule_set.currencies.1'])
  })

  test('unknown members are dropped, and null removes a priority', async () => {
    const { body } = await create({
      priority: 7,
      rule_set: { rules: { ...shoe, color: 'red' }, actions: [tenPercent], note: 1 },
    })
    expect(body.data.rule_set).toEqual({ rules: shoe, actions: [tenPercent] })
    const data = { type: 'rule_promotion', priority: null }
    const changed = await world.admin.put(`/v2/rule-promotions/${body.data.id}`, { data })
    expect(changed.body.data).not.toHaveProperty('priority')
  })
})
