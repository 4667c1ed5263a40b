import type { Client } from '../support/client.ts'
import type { ModuleSamples } from '../support/module-samples.ts'
import type { Samples } from '../support/samples.ts'

let tags = 0

const named = async (_client: Client, samples: Samples) => {
  const { key: slug } = await samples.make(samples.named('custom-relationship'))
  return { data: [{ type: 'custom-relationship', slug }] }
}

const others = async (_client: Client, samples: Samples) => ({
  data: [{ type: 'product', id: (await samples.make(samples.named('product'))).id }],
})

export const productSamples: ModuleSamples = {
  // What is in a bundle must be there.
  completions: { product: async () => ({ components: undefined }) },
  notMadeUp: ['product.components'],
  bodies: {
    'attach-custom-relationships': named,
    'detach-custom-relationships': named,
    'associate-products': others,
    'dissociate-products': others,
  },
  makers: {
    tag: async (client) => {
      const attributes = { name: 'Tagged', commodity_type: 'physical', tags: [`sample-${++tags}`] }
      await client.post('/pcm/products', { data: { type: 'product', attributes } })
      return (await client.get(`/pcm/tags?filter=eq(value,sample-${tags})`)).body.data[0]
    },
  },
}
