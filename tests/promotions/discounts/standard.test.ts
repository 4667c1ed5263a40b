import { expect, test } from 'vitest'
import type { Promotion } from '../../../server/promotions/discounts/promotion.ts'
import type { DiscountLine } from '../../../server/promotions/index.ts'
import { codeOf, line, offsOf, run, standard, usd, verdictsOf } from '../../builders/promotions/discounts.ts'

/** The worked examples of standard promotions. */

type Example = readonly [
  title: string,
  lines: readonly DiscountLine[],
  promotions: readonly Promotion[],
  offs: Readonly<Record<string, number>>,
]

const all = { targets: ['all'] }
const setOf = (...each: readonly (readonly [quantity: number, ...targets: string[]])[]) =>
  each.map(([quantity, ...targets]) => ({ quantity, targets }))
const ten = (percentage: number) => ({ currencies: [{ percentage, currency: 'USD' }] })
const coffee = [line('maker', 15000, 1), line('grinder', 10000, 2)]
const shirts = [line('shirt', 2000, 2), line('pants', 3000, 1)]
const outfit = { requirements: setOf([1, 'shirt'], [1, 'pants']), currencies: usd(4000) }

const examples: readonly Example[] = [
  [
    'a fixed discount takes its amount off the cart',
    [line('A', 10000, 2)],
    [standard('fixed_discount', { currencies: usd(1000) })],
    { A: -1000 },
  ],
  [
    'a fixed discount stops at its maximum',
    [line('A', 10000, 2)],
    [standard('fixed_discount', { currencies: usd(1000) }, { max_discount_value: usd(500) })],
    { A: -500 },
  ],
  [
    'a percentage of the cart stops at its maximum',
    [line('A', 30000, 1)],
    [standard('percent_discount', ten(25), { max_discount_value: usd(5000) })],
    { A: -5000 },
  ],
  [
    'a maximum cuts a percentage of the cart before it is divided',
    [line('A', 13_093, 1), line('B', 124, 2)],
    [standard('percent_discount', ten(15), { max_discount_value: usd(1593) })],
    { A: -1563, B: -30 },
  ],
  [
    'a maximum cuts what bundles save before it is divided',
    [line('A', 13_093, 1), line('B', 124, 2)],
    [
      standard(
        'bundle_fixed_discount',
        {
          requirements: [
            { targets: ['A'], quantity: 1 },
            { targets: ['B'], quantity: 2 },
          ],
          currencies: usd(11_340),
        },
        { max_discount_value: usd(1593) },
      ),
    ],
    { A: -1563, B: -30 },
  ],
  [
    'a discount stops at the value of the cart',
    [line('A', 3000, 1)],
    [standard('fixed_discount', { currencies: usd(5000) })],
    { A: -3000 },
  ],
  [
    'a discount of the cart is divided among equal lines, and the first gets what is left over',
    [line('A', 1000, 1), line('B', 1000, 1), line('C', 1000, 1)],
    [standard('fixed_discount', { currencies: usd(1000) })],
    { A: -334, B: -333, C: -333 },
  ],
  [
    'a discount of the cart is divided in proportion to the lines',
    [line('A', 999, 3), line('B', 1, 3)],
    [standard('fixed_discount', { currencies: usd(1000) })],
    { A: -999, B: -1 },
  ],
  [
    'an excluded line gets no share, and the others get all of it',
    [line('A', 5000, 1), line('B', 5000, 1)],
    [standard('fixed_discount', { currencies: usd(1000), exclude: { targets: ['A'] } })],
    { B: -1000 },
  ],
  [
    'a percentage of the cart is rounded once, for the sum',
    [line('A', 5000, 1), line('B', 2500, 1)],
    [standard('percent_discount', ten(10))],
    { A: -500, B: -250 },
  ],
  [
    'a fixed discount of items counts for each unit',
    [line('A', 1000, 4)],
    [standard('item_fixed_discount', { ...all, currencies: usd(300) })],
    { A: -1200 },
  ],
  [
    'a fixed discount of items stops at the price',
    [line('A', 200, 4)],
    [standard('item_fixed_discount', { ...all, currencies: usd(300) })],
    { A: -800 },
  ],
  [
    'a percentage of items is rounded once for each line',
    [line('A', 999, 3)],
    [standard('item_percent_discount', { ...all, percent: 15 })],
    { A: -450 },
  ],
  [
    'a percentage of items may be written by currency',
    [line('A', 999, 3)],
    [standard('item_percent_discount', { ...all, ...ten(15) })],
    { A: -450 },
  ],
  [
    'of seven units, three for the price of two makes two free',
    [line('A', 500, 7)],
    [standard('x_for_y', { ...all, x: 3, y: 2 })],
    { A: -1000 },
  ],
  [
    'of seven units, three for 1200 is for two sets',
    [line('A', 500, 7)],
    [standard('x_for_amount', { ...all, x: 3, currencies: usd(1200) })],
    { A: -600 },
  ],
  [
    'a set that costs more than its units is passed over',
    [line('A', 300, 7)],
    [standard('x_for_amount', { ...all, x: 3, currencies: usd(1200) })],
    {},
  ],
  [
    'a set needs units of one line',
    [line('A', 500, 2), line('A#2', 500, 2)],
    [standard('x_for_y', { ...all, x: 3, y: 2 })],
    {},
  ],
  [
    'a bundle has a price, and its saving is divided in proportion',
    shirts,
    [standard('bundle_fixed_discount', outfit)],
    { shirt: -400, pants: -600 },
  ],
  [
    'a bundle that is passed over counts for no limit',
    [line('A', 100, 1), line('B', 1000, 2)],
    [
      standard(
        'bundle_fixed_discount',
        { requirements: setOf([1, 'A', 'B']), currencies: usd(500) },
        { max_applications_per_cart: 1 },
      ),
    ],
    { B: -500 },
  ],
  [
    'a maximum cuts equal gifts in the order of the lines',
    [line('A', 1000, 2), line('H', 100, 1), line('G', 100, 1)],
    [
      standard(
        'bundle_gift',
        { requirements: setOf([2, 'A']), gifts: ['G', 'H'] },
        { max_discount_value: usd(101) },
      ),
    ],
    { H: -51, G: -50 },
  ],
  [
    'an older bundle comes before a newer discount of items',
    coffee,
    [
      standard('bundle_fixed_discount', {
        requirements: setOf([1, 'maker'], [1, 'grinder']),
        currencies: usd(20000),
      }),
      standard('item_percent_discount', { targets: ['grinder'], percent: 10 }),
    ],
    { maker: -3000, grinder: -3000 },
  ],
  [
    'two gifts come with four units',
    [line('A', 1000, 4), line('G', 700, 3)],
    [standard('bundle_gift', { requirements: setOf([2, 'A']), gifts: ['G'] })],
    { G: -1400 },
  ],
  [
    'one application brings one gift',
    [line('A', 1000, 4), line('G', 700, 3)],
    [
      standard(
        'bundle_gift',
        { requirements: setOf([2, 'A']), gifts: ['G'] },
        { max_applications_per_cart: 1 },
      ),
    ],
    { G: -700 },
  ],
  [
    'each set brings all gifts',
    [line('A', 1000, 4), line('G', 700, 3), line('H', 100, 1)],
    [standard('bundle_gift', { requirements: setOf([2, 'A']), gifts: ['G', 'H'] })],
    { G: -1400, H: -100 },
  ],
  [
    'a gift of the same product takes no unit that is paid for',
    [line('A', 1000, 6)],
    [standard('bundle_gift', { requirements: setOf([2, 'A']), gifts: ['A'] })],
    { A: -2000 },
  ],
  [
    'applications are counted for each product',
    [line('A', 1000, 2), line('B', 500, 2), line('B#2', 500, 2)],
    [standard('item_percent_discount', { ...all, percent: 50 }, { max_applications_per_cart: 1 })],
    { A: -500, B: -250 },
  ],
  [
    'a unit gets one discount of items, the oldest, and then those of the cart',
    [line('A', 1000, 2)],
    [
      standard('item_percent_discount', { ...all, percent: 50 }, { max_applications_per_cart: 1 }),
      standard('item_fixed_discount', { ...all, currencies: usd(100) }),
      standard('fixed_discount', { currencies: usd(400) }),
    ],
    { A: -1000 },
  ],
  [
    'a discount of items comes off before one of the cart',
    [line('A', 1400, 2)],
    [standard('percent_discount', ten(10)), standard('item_percent_discount', { ...all, percent: 5 })],
    { A: -406 },
  ],
  [
    'custom items take part in discounts of the cart only',
    [line('A', 1000, 1), line('C', 1000, 1, { kind: 'custom_item' })],
    [
      standard('item_percent_discount', { ...all, percent: 50 }),
      standard('fixed_discount', { currencies: usd(300) }),
    ],
    { A: -600, C: -200 },
  ],
]

test.for(examples)('%s', ([, lines, promotions, offs]) => {
  expect(offsOf(run(lines, promotions))).toEqual(offs)
})

test('a line of a million units costs no more work than one of three', () => {
  const promotions = [
    standard('x_for_y', { ...all, x: 3, y: 2 }),
    standard('bundle_gift', { requirements: setOf([2, 'A'], [1, 'B']), gifts: ['G'] }),
    standard('percent_discount', ten(10)),
  ]
  const many = [line('A', 100, 1_000_000_000), line('B', 100, 999_999_999), line('G', 7, 1_000_000)]
  // A loop over units would not end within the time that a test has.
  const { verdicts } = run(many, promotions)
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['applied', 'outdone', 'applied'])
})

test('a code for units discounts as many as it has uses', () => {
  const promotion = standard('item_percent_discount', { ...all, percent: 50 }, { automatic: false })
  const code = codeOf(promotion, { consumes: 'application', usesLeft: 3 })
  const { shares, uses } = run([line('A', 1000, 5)], [promotion], [code])
  expect(offsOf({ shares })).toEqual({ A: -1500 })
  expect(uses).toEqual([{ code: 'SAVE', promotionId: promotion.id, uses: 3 }])
})

test('a code for units of a discount of the cart counts every unit of its lines', () => {
  const promotion = standard('percent_discount', ten(10), { automatic: false })
  const code = codeOf(promotion, { consumes: 'application', usesLeft: 3 })
  const { shares, uses } = run([line('A', 1000, 2), line('B', 1000, 2)], [promotion], [code])
  expect(offsOf({ shares })).toEqual({ A: -200, B: -100 })
  expect(uses.map((use) => use.uses)).toEqual([3])
})

test('the minimum is the value of the cart before discounts', () => {
  const half = standard('item_percent_discount', { ...all, percent: 50 })
  const promotion = standard('fixed_discount', { currencies: usd(100) }, { min_cart_value: usd(2000) })
  expect(verdictsOf(run([line('A', 1000, 2)], [half, promotion]))).toEqual(['applied', 'applied'])
  expect(run([line('A', 1999, 1)], [promotion]).verdicts).toMatchObject([
    { verdict: 'below_minimum', needs: 2000, has: 1999 },
  ])
})

test('lines match by catalog, SKU, id, node, attribute or all of a condition', () => {
  const red = { template: 'products(shoes)', field: 'color', type: 'string', value: 'red' }
  const facts = { catalogId: 'C', nodeIds: ['N'], attributes: { 'products(shoes)': { color: 'red' } } }
  const lines = [line('A', 100, 1, facts), line('B', 100, 1)]
  const matched = (schema: object) =>
    Object.keys(offsOf(run(lines, [standard('item_percent_discount', { percent: 10, ...schema })])))
  const both = {
    or: [{ and: [{ node: { values: ['N'] } }, { attribute: { ...red, value: undefined, values: 'red' } }] }],
  }
  expect(matched({ targets: ['A'] })).toEqual(['A'])
  expect(matched({ targets: ['id-A', 'B'] })).toEqual(['A', 'B'])
  expect(matched({ target_nodes: ['N'] })).toEqual(['A'])
  expect(matched({ target_attributes: [red] })).toEqual(['A'])
  expect(matched({ target_attributes: [{ attribute: { ...red, value: ['blue', 'red'] } }] })).toEqual(['A'])
  expect(matched({ target_conditions: both })).toEqual(['A'])
  expect(matched({ ...all, target_catalogs: ['C'] })).toEqual(['A'])
  expect(matched({ ...all, exclude: { conditions: both } })).toEqual(['B'])
  expect(matched({ ...all, exclude: { nodes: ['N'], attributes: [red] } })).toEqual(['B'])
  expect(matched({})).toEqual([])
  expect(matched({ target_conditions: { or: [{ and: [] }] } })).toEqual([])
})

test('the simple method knows only discounts of the whole cart', () => {
  const promotions = [
    standard('item_percent_discount', { ...all, percent: 10 }),
    standard('fixed_discount', { currencies: usd(100), exclude: { targets: ['B'] } }),
    standard('percent_discount', ten(10)),
  ]
  const evaluation = run([line('A', 1000, 1)], promotions, [], { calculationMethod: 'simple' })
  expect(verdictsOf(evaluation)).toEqual(['simple_calculation', 'simple_calculation', 'applied'])
})
