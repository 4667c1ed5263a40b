import type { Client } from '../../support/client.ts'
import type { ModuleSamples } from '../../support/module-samples.ts'

/** A currency that the store has: tests delete currencies. */
export const currencyIn = async (client: Client): Promise<string> =>
  (await client.get('/v2/currencies')).body.data[0].code

export const promotionSamples: ModuleSamples = {
  completions: {
    promotion: async (client) => {
      const currency = await currencyIn(client)
      return {
        promotion_type: 'fixed_discount',
        schema: { currencies: [{ currency, amount: 500 }] },
        min_cart_value: [{ currency, amount: 1000 }],
        max_discount_value: [{ currency, amount: 2000 }],
        start: '2026-01-01',
        end: '2036-01-01T12:00:00Z',
      }
    },
  },
  makers: {
    // Each write of the promotion makes one.
    'promotion-version': async (client, _samples, collection) => {
      const data = { type: 'promotion', enabled: false }
      await client.put(collection.replace('/history', ''), { data })
      const { body } = await client.get(`${collection}?page[limit]=1`)
      return body.data[0]
    },
  },
  notInUpdates: [
    'promotion.schema',
    'promotion.min_cart_value',
    'promotion.max_discount_value',
    'promotion.start',
    'promotion.end',
  ],
}
