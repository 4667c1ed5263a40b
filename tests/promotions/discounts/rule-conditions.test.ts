import { expect, test } from 'vitest'
import type { RuleNode } from '../../../server/promotions/discounts/rules/rule-document.ts'
import type { DiscountCart, DiscountLine } from '../../../server/promotions/index.ts'
import { line, offsOf, rule, run, verdictsOf } from '../../builders/promotions/discounts.ts'
import { action, all, any, bundle, cartTenth, itemHalf, node, some, within } from './rule-nodes.ts'

/** Which items each strategy of a condition finds. */

/** Which lines an item discount without a condition is for. Undefined: the rules are not met. */
function found(
  rules: RuleNode | readonly RuleNode[],
  lines: readonly DiscountLine[],
  more: Partial<DiscountCart> = {},
) {
  const evaluation = run(lines, [rule({ rules, actions: [itemHalf] })], [], more)
  const [verdict] = verdictsOf(evaluation)
  return verdict === 'condition_unmet' ? undefined : Object.keys(offsOf(evaluation))
}

const shoe = line('shoe', 8000, 1, {
  nodeIds: ['wear', 'shoes'],
  attributes: { 'products(wear)': { brand: 'EP', sizes: [40, 41], since: '2026-01-01' } },
  customAttributes: { engraved: { type: 'boolean', value: true } },
  catalogId: 'C',
})
const sock = line('sock', 500, 4, { nodeIds: ['wear'], catalogId: 'C' })
const note = line('note', 100, 1, { kind: 'custom_item', productId: undefined })
const cart = [shoe, sock, note]

test.for<[title: string, rules: RuleNode | readonly RuleNode[], lines: readonly string[] | undefined]>([
  ['no rules', [], ['shoe', 'sock', 'note']],
  ['item_sku in', node('item_sku', 'in', 'shoe', 'hat'), ['shoe']],
  ['item_sku in, of a custom item', node('item_sku', 'in', 'note'), ['note']],
  ['item_sku in, of none', node('item_sku', 'in', 'hat'), undefined],
  ['item_sku nin', node('item_sku', 'nin', 'shoe'), ['sock', 'note']],
  ['item_sku nin, of all', node('item_sku', 'nin', 'shoe', 'sock', 'note'), undefined],
  ['item_product_id in', node('item_product_id', 'in', 'id-sock'), ['sock']],
  [
    'item_product_id nin, of an item without one',
    node('item_product_id', 'nin', 'id-sock', 'id-shoe'),
    ['note'],
  ],
  [
    'item_identifier in',
    node('item_identifier', 'in', { skus: ['shoe'], ids: ['id-sock'] }),
    ['shoe', 'sock'],
  ],
  ['item_identifier nin', node('item_identifier', 'nin', { skus: ['shoe'], ids: ['id-sock'] }), ['note']],
  ['item_category in', node('item_category', 'in', 'wear'), ['shoe', 'sock']],
  ['item_category nin', node('item_category', 'nin', 'shoes'), ['sock', 'note']],
  ['item_attribute in', node('item_attribute', 'in', 'products(wear)', 'brand', 'string', 'EP'), ['shoe']],
  [
    'item_attribute in, of a list',
    node('item_attribute', 'in', 'products(wear)', 'sizes', 'integer', 41),
    ['shoe'],
  ],
  [
    'item_attribute in, of a day',
    node('item_attribute', 'in', 'products(wear)', 'since', 'date', '2026-01-01T00:00:00Z'),
    ['shoe'],
  ],
  [
    'item_attribute nin',
    node('item_attribute', 'nin', 'products(wear)', 'brand', 'string', 'EP'),
    ['sock', 'note'],
  ],
  ['item_custom_attribute eq', node('item_custom_attribute', 'eq', 'engraved', 'boolean', true), ['shoe']],
  [
    'item_custom_attribute nin',
    node('item_custom_attribute', 'nin', 'engraved', 'boolean', true),
    ['sock', 'note'],
  ],
  ['item_price gte', node('item_price', 'gte', 500), ['shoe', 'sock']],
  ['item_price lt', node('item_price', 'lt', 500), ['note']],
  ['item_price ne', node('item_price', 'ne', 500), ['shoe', 'note']],
  ['item_quantity eq', node('item_quantity', 'eq', 4), ['sock']],
  ['item_quantity gt, of each line', node('item_quantity', 'gt', 4), undefined],
  ['a child narrows', within(node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')), ['sock']],
  [
    'children look at the lines of their parent: a total, then the lines',
    within(
      node('item_category', 'in', 'wear'),
      node('cart_total', 'eq', 10000),
      node('item_sku', 'in', 'sock'),
    ),
    ['sock'],
  ],
  [
    'children look at the lines of their parent: the lines, then a total',
    within(
      node('item_category', 'in', 'wear'),
      node('item_sku', 'in', 'sock'),
      node('cart_total', 'eq', 10000),
    ),
    ['sock'],
  ],
  [
    'a child that no line meets',
    within(node('item_category', 'in', 'shoes'), node('item_sku', 'in', 'sock')),
    undefined,
  ],
  [
    'and: the lines that all find',
    all(node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')),
    ['sock'],
  ],
  [
    'and: of different lines none is left',
    all(node('item_sku', 'in', 'shoe'), node('item_sku', 'in', 'sock')),
    [],
  ],
  ['a list stands for and', [node('item_category', 'in', 'wear'), node('item_sku', 'nin', 'shoe')], ['sock']],
  [
    'or: the lines that any finds',
    any(node('item_sku', 'in', 'shoe'), node('item_sku', 'in', 'sock')),
    ['shoe', 'sock'],
  ],
  [
    'or: an unmet child finds nothing',
    any(all(node('cart_total', 'gt', 99999), node('item_sku', 'in', 'shoe')), node('item_sku', 'in', 'sock')),
    ['sock'],
  ],
  [
    'or: a total says nothing about lines',
    any(node('cart_total', 'gt', 1), node('item_sku', 'in', 'sock')),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_total eq', node('cart_total', 'eq', 10100), ['shoe', 'sock', 'note']],
  ['cart_total lt', node('cart_total', 'lt', 10100), undefined],
  [
    'cart_total range includes both ends',
    node('cart_total', 'range', 10100, 20000),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_total range', node('cart_total', 'range', 0, 10099), undefined],
  [
    'cart_total of the lines that children find',
    within(node('cart_total', 'eq', 2100), node('item_sku', 'nin', 'shoe')),
    ['shoe', 'sock', 'note'],
  ],
  ['account_tags contains_all', node('account_tags', 'contains_all', 'vip', 'new'), ['shoe', 'sock', 'note']],
  ['account_tags contains_any', node('account_tags', 'contains_any', 'old', 'odd'), undefined],
  ['account_tags not_contains_any', node('account_tags', 'not_contains_any', 'old', 'vip'), undefined],
  [
    'account_tags not_contains_all',
    node('account_tags', 'not_contains_all', 'old', 'vip'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute in',
    node('cart_custom_attribute', 'in', 'level', 'string', 'gold', 'silver'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute in, of another type',
    node('cart_custom_attribute', 'in', 'visits', 'string', '5'),
    undefined,
  ],
  ['cart_custom_attribute nin', node('cart_custom_attribute', 'nin', 'level', 'string', 'gold'), undefined],
  [
    'cart_custom_attribute nin, of none',
    node('cart_custom_attribute', 'nin', 'other', 'string', 'gold'),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute gt',
    node('cart_custom_attribute', 'gt', 'visits', 'integer', 4),
    ['shoe', 'sock', 'note'],
  ],
  ['cart_custom_attribute gte', node('cart_custom_attribute', 'gte', 'visits', 'integer', 6), undefined],
  [
    'cart_custom_attribute lte',
    node('cart_custom_attribute', 'lte', 'visits', 'integer', 5),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute gt, with decimals',
    node('cart_custom_attribute', 'gt', 'score', 'float', 75.5),
    ['shoe', 'sock', 'note'],
  ],
  [
    'cart_custom_attribute lt, of none',
    node('cart_custom_attribute', 'lt', 'other', 'integer', 6),
    undefined,
  ],
  ['items_bundle', bundle(some(1, 'shoe'), some(3, 'sock')), ['shoe', 'sock']],
  ['items_bundle, incomplete', bundle(some(2, 'shoe'), some(3, 'sock')), undefined],
  ['items_bundle, of a unit for two groups', bundle(some(1, 'shoe'), some(1, 'shoe')), undefined],
])('%s', ([, rules, lines]) => {
  const attributes: DiscountCart['customAttributes'] = {
    level: { type: 'string', value: 'gold' },
    visits: { type: 'integer', value: 5 },
    score: { type: 'float', value: 75.6 },
  }
  expect(found(rules, cart, { accountTags: ['vip', 'new'], customAttributes: attributes })).toEqual(lines)
})

test('an id stands for the children of the product', () => {
  const child = line('shoe-M', 8000, 1, { parentProductId: 'id-shoe' })
  expect(found(node('item_identifier', 'in', { ids: ['id-shoe'] }), [child])).toEqual(['shoe-M'])
  expect(found(node('item_product_id', 'in', 'id-shoe'), [child])).toBeUndefined()
})

test('with catalogs, items of others and custom items never take part', () => {
  const rules = { catalog_ids: ['C'], rules: node('cart_total', 'lte', 10000), actions: [cartTenth] }
  expect(offsOf(run([...cart, line('other', 1, 1, { catalogId: 'D' })], [rule(rules)]))).toEqual({
    shoe: -800,
    sock: -200,
  })
})

test('a tree that is too deep, or says what no one knows, is refused', () => {
  const deep = (levels: number): RuleNode => (levels ? all(deep(levels - 1)) : node('item_sku', 'in', 'A'))
  const compile = (rules: RuleNode) => () => rule({ rules, actions: [cartTenth] })
  expect(compile(deep(9))).not.toThrow()
  expect(compile(deep(10))).toThrow('deeper')
  expect(compile(node('item_colour', 'in', 'A'))).toThrow('unknown strategy')
  expect(compile(node('item_sku', 'eq', 'A'))).toThrow('in or nin')
  expect(() => rule({ actions: [action('gift', ['fixed', 1])] })).toThrow('unknown strategy')
})
