import { expect, test } from 'vitest'
import type { Promotion } from '../../../server/promotions/discounts/promotion.ts'
import type { DiscountLine } from '../../../server/promotions/index.ts'
import { codeOf, line, offsOf, rule, run, standard } from '../../builders/promotions/discounts.ts'

/** Gifts that promotions add to carts, and take away again. */

const buyTwo = { requirements: [{ targets: ['A'], quantity: 2 }], gifts: ['G'] }
const auto = () => standard('bundle_gift', { ...buyTwo, auto_add_free_gift: true })
const gift = (quantity: number, autoAdded = quantity) => line('G', 700, quantity, { autoAdded })
const changes = (lines: readonly DiscountLine[], promotion: Promotion) => {
  const { giftsToAdd, giftsToRemove } = run(lines, [promotion])
  return {
    add: giftsToAdd.flatMap(({ gifts }) => gifts.map(({ quantity }) => quantity)),
    remove: giftsToRemove.map(({ quantity }) => quantity),
  }
}

test.for<[title: string, lines: readonly DiscountLine[], add: number[], remove: number[], offs: object]>([
  ['missing gifts are asked for', [line('A', 100, 4)], [2], [], {}],
  ['added gifts are free', [line('A', 100, 4), gift(2)], [], [], { G: -1400 }],
  ['gifts of the shopper count', [line('A', 100, 4), line('G', 700, 1)], [1], [], { G: -700 }],
  ['gifts of the shopper and added ones are free', [line('A', 100, 4), gift(2, 1)], [], [], { G: -1400 }],
  ['no longer earned gifts are to be removed', [line('A', 100, 2), gift(2)], [], [1], { G: -700 }],
  ['without what they come with, all are', [gift(2)], [], [2], {}],
  [
    'a gift that the shopper adds replaces an added one',
    [line('A', 100, 2), gift(2, 1)],
    [],
    [1],
    { G: -700 },
  ],
])('%s', ([, lines, add, remove, offs]) => {
  const promotion = auto()
  expect(changes(lines, promotion)).toEqual({ add, remove })
  expect(offsOf(run(lines, [promotion]))).toEqual(offs)
})

test('an added unit earns no further gift', () => {
  const promotion = standard('bundle_gift', {
    requirements: [{ targets: ['A'], quantity: 2 }],
    ...{ gifts: ['A'], auto_add_free_gift: true },
  })
  expect(changes([line('A', 100, 2)], promotion)).toEqual({ add: [1], remove: [] })
  expect(changes([line('A', 100, 3, { autoAdded: 1 })], promotion)).toEqual({ add: [], remove: [] })
  expect(changes([line('A', 100, 2, { autoAdded: 1 })], promotion)).toEqual({ add: [], remove: [1] })
})

test('added units count for no minimum and no total', () => {
  const half = { strategy: 'cart_discount', args: ['percent', 50] } as const
  const total = rule({ rules: { strategy: 'cart_total', operator: 'lte', args: [400] }, actions: [half] })
  expect(run([line('A', 100, 4), gift(2)], [auto(), total]).verdicts).toMatchObject([
    { verdict: 'applied', amount: -1400 },
    { verdict: 'applied', amount: -200 },
  ])
})

test('units that a promotion added get no discount of another', () => {
  const tenth = standard('percent_discount', { currencies: [{ percentage: 10, currency: 'USD' }] })
  expect(offsOf(run([line('A', 100, 4), gift(1)], [tenth]))).toEqual({ A: -40 })
})

test('without automatic adding, a missing gift is suggested', () => {
  const promotion = standard('bundle_gift', buyTwo, { id: 'P' })
  const { suggestions, giftsToAdd, verdicts } = run([line('A', 100, 2)], [promotion])
  expect(giftsToAdd).toEqual([])
  expect(verdicts).toMatchObject([{ verdict: 'gift_missing', gifts: [{ product: 'G', quantity: 1 }] }])
  expect(suggestions).toMatchObject([
    {
      ...{ promotion_id: 'P', code: 'auto_P', auto_add: false },
      targets: [{ quantity: 1, skus: ['G'] }],
      bundle: [
        { targets: ['A'], quantity: 2 },
        { targets: ['G'], quantity: 1 },
      ],
    },
  ])
})

test('by code, gifts are added at their price, and free once the code is entered again', () => {
  const promotion = standard('bundle_gift', { ...buyTwo, auto_add_free_gift: true }, { automatic: false })
  const codes = [codeOf(promotion)]
  const first = run([line('A', 100, 2)], [promotion], codes)
  expect(first.giftsToAdd).toMatchObject([{ isFree: false, gifts: [{ product: 'G', quantity: 1 }] }])
  const second = run([line('A', 100, 2), gift(1)], [promotion], codes)
  expect(second.verdicts).toMatchObject([{ verdict: 'enter_code_again', code: 'SAVE' }])
  expect([second.giftsToAdd, second.giftsToRemove, second.uses]).toEqual([[], [], []])
  const third = run([line('A', 100, 2), gift(1)], [promotion], [codeOf(promotion, { isRepeated: true })])
  expect(offsOf(third)).toEqual({ G: -700 })
})

test('each action of a rule asks for the products that it names', () => {
  const give = (sku: string, items: object) => ({
    ...{ strategy: 'item_discount', args: ['percent', 100] as const, limitations: { items } },
    condition: { strategy: 'item_sku', operator: 'in', args: [sku] },
  })
  const promotion = rule({ actions: [give('G', { show_suggestions: true }), give('H', { auto_add: true })] })
  const { suggestions, giftsToAdd } = run([line('A', 100, 1)], [promotion])
  expect(suggestions).toMatchObject([{ targets: [{ skus: ['G'] }] }])
  expect(giftsToAdd).toMatchObject([{ gifts: [{ product: 'H', quantity: 1 }] }])
})

test('a rule adds the products that its action names', () => {
  const socks = (items: object, more = {}) =>
    rule({
      rules: { strategy: 'item_sku', operator: 'in', args: ['shoes'] },
      actions: [
        {
          ...{ strategy: 'item_discount', args: ['percent', 100] },
          condition: { strategy: 'item_identifier', operator: 'in', args: [{ skus: ['G'] }] },
          limitations: { items, ...more },
        },
      ],
    })
  const shoes = line('shoes', 8000, 1)
  const adding = socks({ auto_add: true })
  expect(changes([shoes], adding)).toEqual({ add: [1], remove: [] })
  expect(changes([shoes, gift(1)], adding)).toEqual({ add: [], remove: [] })
  expect(offsOf(run([shoes, gift(1)], [adding]))).toEqual({ G: -700 })
  expect(changes([gift(1)], adding)).toEqual({ add: [], remove: [1] })
  expect(changes([shoes, gift(2, 1)], adding)).toEqual({ add: [], remove: [1] })
  expect(changes([shoes], socks({ auto_add: true }, { max_quantity: 2 }))).toEqual({ add: [2], remove: [] })
  expect(changes([line('hat', 1, 1)], adding)).toEqual({ add: [], remove: [] })
  const suggesting = run([shoes], [socks({ show_suggestions: true })])
  expect(suggesting.suggestions).toMatchObject([{ targets: [{ quantity: 1, skus: ['G'] }] }])
  expect(suggesting.giftsToAdd).toEqual([])
  expect(offsOf(run([shoes, line('G', 700, 3)], [socks({ show_suggestions: true })]))).toEqual({ G: -2100 })
})
