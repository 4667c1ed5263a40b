import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'

let count = 0

/** A node below another, or at the top of its hierarchy. */
export async function makeNode(client: Client, hierarchy: string, parent?: string) {
  count += 1
  const attributes = { name: `Shelf ${count}`, slug: `shelf-${count}` }
  const relationships = parent && { parent: { data: { type: 'node', id: parent } } }
  const { body } = await client.post(`${hierarchy}/nodes`, {
    data: { type: 'node', attributes, relationships },
  })
  return body.data
}

const above = (collection: string) => collection.split('/').slice(0, 4).join('/')

/** A new node of the hierarchy that paths of samples lead to. */
const anotherNode = async (client: Client, samples: SharedSamples) =>
  makeNode(client, above(await samples.path('/pcm/hierarchies/:hierarchy_id/nodes')))

const nodeLinks = async (client: Client, samples: SharedSamples) => {
  const { id } = await anotherNode(client, samples)
  return { data: [{ type: 'node', id }] }
}

const productLinks = async (_client: Client, samples: SharedSamples) => {
  const { id } = await samples.make(samples.named('product'))
  return { data: [{ type: 'product', id }] }
}

const nodesByFilter = async (client: Client, samples: SharedSamples) => ({
  data: { filter: 'eq(status,live)', node_ids: [(await anotherNode(client, samples)).id] },
})

export const hierarchies: ModuleSamples = {
  // A new node has no products.
  completions: { node: async () => ({ curated_products: [] }) },
  notInUpdates: ['hierarchy.sent_id', 'node.sent_id', 'node.curated_products'],
  makers: {
    'hierarchy-child': (client, _samples, collection) => makeNode(client, above(collection)),
    'node-child': (client, _samples, collection) =>
      makeNode(client, above(collection), collection.split('/')[5]),
    'node-of-any-hierarchy': anotherNode,
    'node-of-product': async (client, samples, collection) => {
      const node = await anotherNode(client, samples)
      const hierarchy = above(await samples.path('/pcm/hierarchies/:hierarchy_id/nodes'))
      const data = [{ type: 'product', id: collection.split('/')[3] }]
      await client.post(`${hierarchy}/nodes/${node.id}/relationships/products`, { data })
      return node
    },
    'node-product': async (client, samples, collection) => {
      const product = await samples.make(samples.named('product'))
      const links = collection.replace(/products$/, 'relationships/products')
      await client.post(links, { data: [{ type: 'product', id: product.id }] })
      return product.body.data
    },
  },
  bodies: {
    'update-node-parent': async (client, samples) => {
      const { id } = await anotherNode(client, samples)
      return { data: { type: 'node', id } }
    },
    'add-hierarchy-children': nodeLinks,
    'add-node-children': nodeLinks,
    'attach-nodes': nodesByFilter,
    'detach-nodes': nodesByFilter,
    'add-node-products': productLinks,
    'delete-node-products': productLinks,
  },
}
