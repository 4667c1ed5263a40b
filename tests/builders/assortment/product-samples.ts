import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'

let tags = 0

const named = async (_client: Client, samples: SharedSamples) => {
  const { key: slug } = await samples.make(samples.named('custom-relationship'))
  return { data: [{ type: 'custom-relationship', slug }] }
}

const others = async (_client: Client, samples: SharedSamples) => ({
  data: [{ type: 'product', id: (await samples.make(samples.named('product'))).id }],
})

/** Another product that the one in the path is associated with. */
const associated = async (client: Client, samples: SharedSamples, collection: string) => {
  const { body } = await samples.make(samples.named('product'))
  const data = [{ type: 'product', id: body.data.id }]
  await client.post(collection.replace(/\/products$/, ''), { data })
  return body.data
}

export const productSamples: ModuleSamples = {
  // What is in a bundle must be there.
  completions: { product: async () => ({ components: undefined }) },
  notInUpdates: ['product.components', 'custom-relationship.slug'],
  bodies: {
    'attach-custom-relationships': named,
    'detach-custom-relationships': named,
    'associate-products': others,
    'dissociate-products': others,
  },
  makers: {
    'associated-product': associated,
    'product-associated-with-another': associated,
    tag: async (client) => {
      const attributes = { name: 'Tagged', commodity_type: 'physical', tags: [`sample-${++tags}`] }
      await client.post('/pcm/products', { data: { type: 'product', attributes } })
      return (await client.get(`/pcm/tags?filter=eq(value,sample-${tags})`)).body.data[0]
    },
  },
}
