import type { ModuleSamples } from '../support/module-samples.ts'

export const promotionSamples: ModuleSamples = {
  completions: {
    promotion: async () => ({
      promotion_type: 'fixed_discount',
      schema: { currencies: [{ currency: 'USD', amount: 500 }] },
      start: '2026-01-01',
      end: '2036-01-01T12:00:00Z',
    }),
  },
  notInUpdates: ['promotion.schema', 'promotion.start', 'promotion.end'],
}
