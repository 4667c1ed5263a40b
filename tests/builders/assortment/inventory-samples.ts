import type { ModuleSamples } from '../../support/module-samples.ts'

const incremented = { data: { type: 'stock-transaction', action: 'increment', quantity: 2 } }

export const inventorySamples: ModuleSamples = {
  // Locations that stock lies in must be there, and a second name of the product must be of the same.
  completions: {
    stock: async () => ({
      ...{ locations: undefined, quantity: undefined, attributes: undefined },
      product_id: undefined,
    }),
  },
  // What a product is, every store says for itself.
  sameForAllStores: ['create-stock-of-product'],
  specialCreates: ['stock-transaction'],
  makers: {
    'stock-transaction': async (client, _samples, collection) =>
      (await client.post(collection, incremented)).body.data,
  },
  bodies: {
    'create-stock-transaction': async () => incremented,
    // Of a product that is not counted yet.
    'create-stock-of-product': async (client, samples) => {
      await client.delete(await samples.path('/v2/inventories/:stock_id'))
      return { data: { quantity: 3 } }
    },
  },
}
