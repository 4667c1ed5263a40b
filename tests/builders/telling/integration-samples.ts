import type { ModuleSamples } from '../../support/module-samples.ts'

export const integrationSamples: ModuleSamples = {
  completions: {
    integration: async () => ({
      integration_type: 'webhook',
      observes: ['order.paid'],
      // Nothing is there, and nothing waits for an answer.
      configuration: { url: 'http://127.0.0.1:1/hooks' },
    }),
  },
  notInUpdates: ['integration.configuration', 'integration.observes', 'integration.integration_type'],
}
