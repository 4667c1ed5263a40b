import type { ModuleSamples } from '../support/module-samples.ts'

export const promotionSamples: ModuleSamples = {
  completions: {
    promotion: async () => ({
      promotion_type: 'fixed_discount',
      schema: { currencies: [{ currency: 'USD', amount: 500 }] },
      min_cart_value: [{ currency: 'USD', amount: 1000 }],
      max_discount_value: [{ currency: 'USD', amount: 2000 }],
      start: '2026-01-01',
      end: '2036-01-01T12:00:00Z',
    }),
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
