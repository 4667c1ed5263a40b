import type { ModuleSamples } from '../support/module-samples.ts'

export const integrationSamples: ModuleSamples = {
  completions: {
    integration: async () => ({
      integration_type: 'webhook',
      observes: ['order.paid'],
      configuration: { url: 'https://shop.example.com/hooks' },
    }),
  },
  notInUpdates: ['integration.configuration', 'integration.observes', 'integration.integration_type'],
}
