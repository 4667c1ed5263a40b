import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ItemAmounts,
  pricesOfItem,
  pricesOfOrder,
} from '../../../server/payments/manual-orders/amounts.ts'
import { tries } from '../../support/long.ts'

const amount = fc.integer({ min: 0, max: 1_000_000 })
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })

/** An item of which some amounts are sent, as far as they agree. */
const item = fc
  .record({
    ...{ quantity: fc.integer({ min: 1, max: 50 }), unitPrice: amount, includesTax: fc.boolean() },
    ...{ discount: amount, tax: amount, sendsDiscount: fc.boolean(), sendsTax: fc.boolean() },
  })
  .map((one) => {
    const value = one.quantity * one.unitPrice
    const discount = one.sendsDiscount ? -(one.discount % (value + 1)) : undefined
    const net = value + (discount ?? 0)
    const tax = one.sendsTax ? one.tax % (net + 1) : undefined
    return { ...one, value, net, sent: { discount, tax } }
  })

const toAmounts = ({
  quantity,
  unitPrice,
  includesTax,
  sent,
}: typeof item extends fc.Arbitrary<infer T> ? T : never): ItemAmounts => ({
  ...{ quantity, unitPrice, includesTax, units: {} },
  values: sent,
})

test('an item costs its pieces less its discount, and its tax is in or on that', () => {
  fc.assert(
    fc.property(item, (one) => {
      const { prices, value } = pricesOfItem(toAmounts(one), 'here')
      const tax = one.sent.tax ?? 0
      expect(value).toBe(one.value)
      expect(prices.with_tax.value).toBe(one.includesTax ? one.net : one.net + tax)
      expect(prices.without_tax.value).toBe(one.includesTax ? one.net - tax : one.net)
      expect(Math.abs(prices.with_tax.unit * one.quantity - prices.with_tax.value)).toBeLessThanOrEqual(
        one.quantity / 2,
      )
    }),
    { numRuns: tries(200, 5000) },
  )
})

test('an order costs its items and its shipping, and every amount that is sent stays', () => {
  const sent = fc.record({ shipping: maybe(amount), tax: maybe(amount), with_tax: maybe(amount) })
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), sent, (some, totals) => {
      const items = some.map((one) => pricesOfItem(toAmounts(one), 'here'))
      const of = (name: 'tax' | 'without_tax') =>
        items.reduce((total, { prices }) => total + prices[name].value, 0)
      const tax = totals.tax ?? of('tax')
      const net =
        totals.with_tax === undefined ? of('without_tax') + (totals.shipping ?? 0) : totals.with_tax - tax
      const price = () => pricesOfOrder(items, totals, 'there')
      if (net < 0) {
        expect(price).toThrow('there.with_tax.amount must be the sum')
        return
      }
      const shipping = totals.shipping ?? 0
      expect(price()).toMatchObject({ tax, without_tax: net, with_tax: net + tax, shipping })
    }),
    { numRuns: tries(200, 5000) },
  )
})
