import type { ModuleSamples } from '../support/module-samples.ts'

let tags = 0

export const productSamples: ModuleSamples = {
  // What is in a bundle must be there.
  completions: { product: async () => ({ components: undefined }) },
  notMadeUp: ['product.components'],
  makers: {
    tag: async (client) => {
      const attributes = { name: 'Tagged', commodity_type: 'physical', tags: [`sample-${++tags}`] }
      await client.post('/pcm/products', { data: { type: 'product', attributes } })
      return (await client.get(`/pcm/tags?filter=eq(value,sample-${tags})`)).body.data[0]
    },
  },
}
