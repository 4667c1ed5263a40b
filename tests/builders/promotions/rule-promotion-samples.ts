import type { ModuleSamples } from '../../support/module-samples.ts'

export const rulePromotionSamples: ModuleSamples = {
  completions: {
    'rule-promotion': async () => ({
      enabled: true,
      rule_set: {
        rules: { strategy: 'cart_total', operator: 'gte', args: [10_000] },
        actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
      },
      start: '2026-01-01',
      end: '2036-01-01T12:00:00Z',
    }),
  },
  notInUpdates: ['rule-promotion.rule_set', 'rule-promotion.start', 'rule-promotion.end'],
}
