import fc from 'fast-check'
import type {
  PromotionDiscounts,
  TotalsCart,
  TotalsLine,
  TotalsTax,
} from '../../../server/carts/totals/totals-cart.ts'
import type { Share } from '../../../server/promotions/index.ts'
import { apportionSlowly } from '../../builders/prices/slow-money.ts'

/** Any carts: few units and small amounts, so that roundings and limits are hit often. */

const smallAmount = fc.oneof(fc.nat(30), fc.nat(20_000), fc.constantFrom(0, 999, 1000, 1299))

const rate = fc.oneof(
  fc.constantFrom(0, 0.05, 0.1, 0.2, 1, '0.08875', '0.000001'),
  fc.nat(1_200_000).map((millionths) => (millionths / 1_000_000).toFixed(6)),
)
const taxes: fc.Arbitrary<readonly TotalsTax[]> = fc
  .array(fc.oneof({ arbitrary: fc.record({ rate }), weight: 3 }, fc.record({ amount: fc.nat(600) })), {
    maxLength: 5,
  })
  .map((all) => all.map((tax, i) => ({ id: `tax ${i}`, ...tax })))

const component = fc.record({
  unitPrice: smallAmount,
  quantity: fc.integer({ min: 1, max: 3 }),
  includesTax: fc.boolean(),
  taxes,
})

const noComponents = fc.array(component, { maxLength: 0 })

const line = fc.record({
  unitPrice: smallAmount,
  quantity: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
  includesTax: fc.boolean(),
  taxes,
  components: fc.oneof({ arbitrary: noComponents, weight: 3 }, fc.array(component, { maxLength: 2 })),
  shippingGroupId: fc.constantFrom(undefined, 'a', 'b'),
})

export const anyLines: fc.Arbitrary<readonly TotalsLine[]> = fc.array(line, { maxLength: 6 }).map((lines) =>
  lines.map((one, i) => ({
    ...one,
    id: `line ${i}`,
    components: one.components.map((component, k) => ({ ...component, id: `component ${k}` })),
  })),
)

const part = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }))

/** A promotion takes a part of what is left: of one line, or of the cart. */
const promotion = fc.record({
  source: fc.constantFrom('standard', 'rule'),
  isOfCart: fc.boolean(),
  line: fc.nat(5),
  part,
})

const anyPromotions = fc.record({
  promotions: fc.array(promotion, { maxLength: 4 }),
  shipping: fc.array(part, { minLength: 3, maxLength: 3 }),
})

const customDiscount = fc.record({ amount: fc.nat(5000).map((amount) => 0 - amount), line: fc.nat(5) })

const anyCustomDiscounts = fc.record({
  ofLines: fc.array(customDiscount, { maxLength: 4 }),
  ofCart: fc.array(customDiscount, { maxLength: 3 }),
})

const shippingPrice = fc.record({ base: smallAmount, tax: fc.nat(300), fees: fc.nat(300) })

export const anyCart: fc.Arbitrary<TotalsCart> = fc
  .record({
    method: fc.constantFrom('line', 'line', 'simple'),
    lines: anyLines,
    discounts: fc.oneof(anyPromotions, anyCustomDiscounts),
    prices: fc.array(shippingPrice, { minLength: 3, maxLength: 3 }),
  })
  .map(({ method, lines, discounts, prices }) => {
    const shippingGroups = prices.map((price, i) => ({ id: ['a', 'b', 'c'][i] ?? '', ...price }))
    return {
      method,
      lines,
      shippingGroups,
      discounts:
        'promotions' in discounts
          ? {
              source: 'promotions',
              shares: toShares(lines, discounts.promotions),
              shippingShares: shippingGroups.map(({ id, base }, i) => ({
                groupId: id,
                amount: 0 - Math.floor(base * (discounts.shipping[i] ?? 0)),
                cause: { source: 'rule', id: 'shipping', name: 'Shipping', code: 'auto_shipping' },
              })),
            }
          : {
              source: 'custom',
              ofLines: discounts.ofLines.flatMap(({ amount, line }, i) => {
                const to = lines[line % lines.length]
                return to ? [{ id: `item ${i}`, name: '', code: 'X', amount, lineId: to.id }] : []
              }),
              ofCart: discounts.ofCart.map(({ amount }, i) => ({
                ...{ id: `cart ${i}`, name: '', code: 'Y', amount },
              })),
            },
    }
  })

type AnyPromotion = typeof promotion extends fc.Arbitrary<infer P> ? P : never

function toShares(
  lines: readonly TotalsLine[],
  promotions: readonly AnyPromotion[],
): PromotionDiscounts['shares'] {
  const left = lines.map(({ unitPrice, quantity }) => unitPrice * quantity)
  return promotions.flatMap(({ source, isOfCart, line, part }, index) => {
    const weights = left.map((rest, i) => (isOfCart || i === line % lines.length ? rest : 0))
    const sum = weights.reduce((a, b) => a + b, 0)
    if (sum === 0) return []
    const taken = apportionSlowly(Math.floor(sum * part), weights.map(BigInt))
    return lines.flatMap(({ id }, i): Share[] => {
      const amount = taken[i] ?? 0
      if (!isOfCart && i !== line % lines.length) return []
      left[i] = (left[i] ?? 0) - amount
      const cause = { source, id: `promotion ${index}`, name: `Promotion ${index}`, code: `P${index % 2}` }
      return [{ lineId: id, amount: 0 - amount, cause, isOfCart, ordinal: index + 1 }]
    })
  })
}
