import type { ModuleSamples } from '../../support/module-samples.ts'

export const pricebookSamples: ModuleSamples = {
  makers: {
    'price-of-any-pricebook': async (_client, samples) =>
      (await samples.make(samples.named('price'))).body.data,
  },
}
