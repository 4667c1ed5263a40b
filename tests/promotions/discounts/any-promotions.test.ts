import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalCart } from '../../../server/carts/totals/total-cart.ts'
import type { Evaluation } from '../../../server/promotions/index.ts'
import { evaluateAtOnce } from '../../builders/promotions/discounts.ts'
import { tries } from '../../support/long.ts'
import { anyCase, type Case, compile } from './any/promotions.ts'
import { anyPrices, linked, toTotalsCart } from './any/totals.ts'
import { slowEvaluate } from './oracle/evaluate.ts'

const usual = { numRuns: tries(500, 10_000) }

const evaluateCase = ({ cart, documents, codes }: Case) => evaluateAtOnce(cart, documents.map(compile), codes)
const add = (all: readonly number[]) => all.reduce((total, one) => total + one, 0)

/** What the slow oracle says too. */
function comparable({ shares, shippingShares, verdicts, uses, giftsToAdd, giftsToRemove }: Evaluation) {
  return {
    shares: shares.map(({ cause: { id, code }, lineId, amount, isOfCart, ordinal }) => ({
      ...{ id, code, lineId, amount, isOfCart, ordinal },
    })),
    shippingShares: shippingShares.map(({ cause: { id, code }, groupId, amount }) => ({
      ...{ id, code, groupId, amount },
    })),
    verdicts: verdicts.map((one) => {
      const { source: _source, name: _name, code: _code, ...values } = one
      return values
    }),
    uses,
    giftsToAdd: giftsToAdd.map(({ promotionId, isFree, gifts }) => ({ promotionId, isFree, gifts })),
    giftsToRemove,
  }
}

test('any promotions take of any cart what the slow oracle says, to the unit', () => {
  fc.assert(
    fc.property(anyCase, (one) => {
      const { cart, documents, codes } = one
      expect(comparable(evaluateCase(one))).toEqual(slowEvaluate(cart, documents, codes))
    }),
    { numRuns: tries(3000, 100_000) },
  )
}, 600_000)

test('shares are never more than 0, add up to the verdicts, and leave no price below 0', () => {
  fc.assert(
    fc.property(anyCase, (one) => {
      const { shares, shippingShares, verdicts } = evaluateCase(one)
      const sums = (all: readonly { readonly cause: { readonly id: string }; readonly amount: number }[]) =>
        verdicts.map(({ id }) => add(all.filter(({ cause }) => cause.id === id).map(({ amount }) => amount)))
      expect(sums(shares)).toEqual(verdicts.map((of) => (of.verdict === 'applied' ? of.amount : 0)))
      expect(sums(shippingShares)).toEqual(verdicts.map((of) => (of.verdict === 'applied' ? of.shipping : 0)))
      expect([...shares, ...shippingShares].every(({ amount }) => amount <= 0)).toBe(true)
      for (const { id, value } of one.cart.lines) {
        const taken = add(shares.filter(({ lineId }) => lineId === id).map(({ amount }) => amount))
        expect(value + taken).toBeGreaterThanOrEqual(0)
      }
      for (const { id, base } of one.cart.shippingGroups) {
        const taken = add(shippingShares.filter(({ groupId }) => groupId === id).map(({ amount }) => amount))
        expect(base + taken).toBeGreaterThanOrEqual(0)
      }
    }),
    usual,
  )
})

test('the order of promotions does not matter, nor that of codes for different promotions', () => {
  fc.assert(
    fc.property(anyCase, (one) => {
      const { codes, documents } = one
      // Of two codes for one promotion, the first that the shopper may use counts.
      const reversed = documents
        .toReversed()
        .flatMap(({ document: { id } }) => codes.filter(({ promotionId }) => promotionId === id))
      const other = evaluateCase({ ...one, documents: documents.toReversed(), codes: reversed })
      expect(other).toEqual(evaluateCase(one))
    }),
    usual,
  )
})

test('a disabled promotion changes nothing', () => {
  fc.assert(
    fc.property(anyCase, anyCase, (one, { documents }) => {
      const disabled = documents.map(({ document, ...rest }, i) => ({
        ...rest,
        document: { ...document, id: `disabled ${i}`, enabled: false },
      })) as typeof documents
      const isOther = (id: string) => !id.startsWith('disabled')
      const { verdicts, messages, ...others } = evaluateCase({
        ...one,
        documents: [...disabled, ...one.documents],
      })
      expect({
        ...others,
        verdicts: verdicts.filter(({ id }) => isOther(id)),
        messages: messages.filter(({ source }) => isOther(source.id)),
      }).toEqual(evaluateCase(one))
    }),
    usual,
  )
})

test('what promotions take makes lines and totals that add up, and none is below 0', () => {
  fc.assert(
    fc.property(anyCase, anyPrices, (any, prices) => {
      const one = { ...any, cart: linked(any.cart) }
      const evaluation = evaluateCase(one)
      const totals = totalCart(toTotalsCart(one.cart, evaluation, prices))
      const ofLines = (name: keyof (typeof totals.lines)[number]['prices']) =>
        add(totals.lines.map((line) => line.prices[name].value))
      const { calculationMethod: method } = one.cart
      const ofCart = method === 'simple' ? add(totals.cartPromotions.map(({ amount }) => amount)) : 0
      const { with_tax, without_tax, tax, discount, without_discount, shipping, shipping_discount } =
        totals.prices
      expect(with_tax).toBe(without_tax + tax)
      expect(with_tax).toBe(ofLines('with_tax') + ofCart + shipping + shipping_discount)
      expect(without_discount).toBe(ofLines('without_discount') + shipping)
      expect(discount).toBe(ofLines('discount') + ofCart)
      // With the method `line`, the cart says what the evaluator says.
      if (method === 'line') expect(discount).toBe(add(evaluation.shares.map(({ amount }) => amount)))
      expect(shipping_discount).toBe(add(evaluation.shippingShares.map(({ amount }) => amount)))
      const all = [totals.prices, ...totals.lines.map(({ prices: of }) => valuesOf(of))]
      for (const { discount, shipping_discount = 0, ...others } of all as Record<string, number>[]) {
        expect(Math.min(...Object.values(others))).toBeGreaterThanOrEqual(0)
        expect([discount, shipping_discount].every((amount = 0) => amount <= 0)).toBe(true)
      }
    }),
    { numRuns: tries(500, 20_000) },
  )
})

const valuesOf = (prices: Readonly<Record<string, { readonly value: number }>>) =>
  Object.fromEntries(Object.entries(prices).map(([name, { value }]) => [name, value]))
