import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priceForQuantity, type StoredPrice } from '../../../server/prices/index.ts'
import type { StoredModifier } from '../../../server/prices/pricebooks/stored-prices.ts'
import { resolvePrice } from '../../../server/prices/pricing/resolve-price.ts'
import { priceChangesAt } from '../../../server/prices/pricing/sale-in-force.ts'
import { tries } from '../../support/long.ts'
import { begin, codes, hour, lastHour, quantities, questions, slowly } from './slow-prices.ts'

/** Any books, sales, tiers, modifiers and times, against the rules one by one. */

test('any price follows the rules, in each currency and for each quantity', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { price, trace } = resolvePrice(question)
      const expected = (code: string, quantity: number) => slowly(question, code, quantity)
      expect(price === undefined).toBe(expected('USD', 1) === undefined)
      expect(trace.pricebooks.filter(({ reason }) => reason === 'chosen').length).toBe(price ? 1 : 0)
      if (!price) return
      expect(price.sale_id).toBe(expected('USD', 1)?.sale)
      expect(trace.sales.find(({ reason }) => reason === 'in force')?.name).toBe(price.sale_id)
      for (const code of codes) {
        expect(price.currencies[code]?.amount).toBe(expected(code, 0)?.amount)
        expect(price.original?.[code]?.amount).toBe(expected(code, 0)?.original)
      }
      const amounts = codes.map((code) =>
        quantities.map((quantity) => {
          const one = priceForQuantity(price, quantity, code)
          return [one?.amount, one?.original?.amount]
        }),
      )
      const rightAmounts = codes.map((code) =>
        quantities.map((quantity) => {
          const { amount, original } = expected(code, quantity) ?? {}
          return [amount, original]
        }),
      )
      expect(amounts).toEqual(rightAmounts)
      expect(amounts.flat(2).every((one = 0) => Number.isSafeInteger(one) && one >= 0)).toBe(true)
    }),
    { numRuns: tries(400, 2000) },
  )
})

test('a price changes at each change, and stays the same between two', () => {
  fc.assert(
    fc.property(questions, ({ at: _, ...question }) => {
      const changes = priceChangesAt(question).map((one) => one.getTime())
      const answerAt = (when: number) => {
        const { price } = resolvePrice({ ...question, at: new Date(when) })
        return JSON.stringify(price)
      }
      const hours = Array.from({ length: lastHour + 3 }, (_, i) => begin + (i - 1) * hour)
      const changed = hours.filter((at) => answerAt(at) !== answerAt(at - 1))
      expect(changes).toEqual(changed)
    }),
    { numRuns: tries(125, 500) },
  )
})

test('a price with the maximum number of modifiers is a safe number', () => {
  const most: StoredModifier = { modifier_type: 'price_increment', currencies: { USD: { amount: 1e12 } } }
  const parentPrice: StoredPrice = { currencies: { USD: { amount: 1e12 } } }
  const { price } = resolvePrice({
    books: [{ pricebookId: '1', parentPrice, modifiers: { m: most } }],
    modifierNames: Array.from({ length: 1000 }, () => 'm'),
    at: new Date(begin),
  })
  expect(Number.isSafeInteger(price?.currencies.USD?.amount)).toBe(true)
})
