import { expect, test } from 'vitest'
import { availablePrices } from '../../../server/shop/shown/shown-prices.ts'

test('tiers may be named like members of every object', () => {
  const tiers = JSON.parse(
    '{"constructor": {"minimum_quantity": 5, "amount": 9}, "__proto__": {"minimum_quantity": 7, "amount": 8}}',
  )
  const stored = { currencies: { USD: { amount: 10, tiers }, EUR: { amount: 9, tiers } } }
  const prices = { bookPrices: () => ({ pricebookId: 'book', price: stored }) } as unknown as Parameters<
    typeof availablePrices
  >[1]
  const [price] = availablePrices(['book'], prices, {} as never).available_prices
  expect(Object.keys(price?.tiers ?? {})).toEqual(['constructor', '__proto__'])
  const amount = { amount: 9, includes_tax: false }
  expect(Object.entries(price?.tiers ?? {})[0]?.[1]).toEqual({
    minimum_quantity: 5,
    price: { USD: amount, EUR: amount },
  })
})
