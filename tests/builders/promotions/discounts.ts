import type { Promotion } from '../../../server/promotions/discounts/promotion.ts'
import { fromRule } from '../../../server/promotions/discounts/rules/from-rule.ts'
import type { RuleDocument, RuleSet } from '../../../server/promotions/discounts/rules/rule-document.ts'
import { fromStandard } from '../../../server/promotions/discounts/standard/from-standard.ts'
import type { StandardDocument } from '../../../server/promotions/discounts/standard/standard-document.ts'
import {
  type DiscountCart,
  type DiscountLine,
  type EnteredCode,
  type Evaluation,
  evaluate,
} from '../../../server/promotions/index.ts'

/** Carts and promotions for the tests of discounts. */

export const at = new Date('2026-06-01T12:00:00Z')

/** A line of a product whose id, SKU and line have one name: `A`, or `A#2` for a second line of A. */
export function line(
  name: string,
  unitPrice: number,
  quantity: number,
  more: Partial<DiscountLine> = {},
): DiscountLine {
  const [sku] = name.split('#')
  return {
    ...{ id: name, kind: 'cart_item', productId: `id-${sku}`, sku, unitPrice, quantity, nodeIds: [] },
    ...{ value: unitPrice * quantity, attributes: {}, customAttributes: {} },
    ...more,
  }
}

export const cartOf = (lines: readonly DiscountLine[], more: Partial<DiscountCart> = {}): DiscountCart => ({
  ...{ currency: 'USD', at, calculationMethod: 'line', usesRulePromotions: true, usesCustomDiscounts: false },
  ...{ lines, shopper: {}, accountTags: [], customAttributes: {}, shippingGroups: [] },
  ...more,
})

const always = { enabled: true, automatic: true, start: '2026-01-01', end: '2027-01-01' }

let made = 0

/** A standard promotion. Each is newer than those made before it. */
export function standard(
  promotion_type: StandardDocument['promotion_type'],
  schema: object,
  more: Partial<StandardDocument> & { readonly createdAt?: Date } = {},
): Promotion {
  const { createdAt = new Date(made++ * 1000), ...others } = more
  const id = others.id ?? `standard-${made}`
  const document = { ...always, id, name: id, promotion_type, schema, ...others } as StandardDocument
  return fromStandard(document, createdAt)
}

/** A rule promotion. Each is newer than those made before it. */
export function rule(
  rule_set: RuleSet,
  more: Partial<RuleDocument> & { readonly createdAt?: Date } = {},
): Promotion {
  const { createdAt = new Date(made++ * 1000), ...others } = more
  const id = others.id ?? `rule-${made}`
  return fromRule({ ...always, id, name: id, rule_set, ...others }, createdAt)
}

export const usd = (amount: number) => [{ amount, currency: 'USD' }]

export const codeOf = (promotion: Promotion, more: Partial<EnteredCode> = {}): EnteredCode => ({
  ...{ code: 'SAVE', promotionId: promotion.id, consumes: 'checkout' },
  ...more,
})

export function evaluateAtOnce(...args: Parameters<typeof evaluate>): Evaluation {
  const steps = evaluate(...args)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export const run = (
  lines: readonly DiscountLine[],
  promotions: readonly Promotion[],
  codes: readonly EnteredCode[] = [],
  more: Partial<DiscountCart> = {},
): Evaluation => evaluateAtOnce(cartOf(lines, more), promotions, codes)

/** What is taken off each line that something is taken off. */
export function offsOf({ shares }: Pick<Evaluation, 'shares'>): Readonly<Record<string, number>> {
  const offs: Record<string, number> = {}
  for (const { lineId, amount } of shares) offs[lineId] = (offs[lineId] ?? 0) + amount
  return offs
}

export const verdictsOf = ({ verdicts }: Pick<Evaluation, 'verdicts'>) =>
  verdicts.map(({ verdict }) => verdict)
