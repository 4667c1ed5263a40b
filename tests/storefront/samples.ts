import { expect, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import type { ModuleSamples } from '../support/module-samples.ts'
import type { Samples } from '../support/samples.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

const slug = 'CRP_of_the_samples'
let made = 0

/** A merchant's shop window, as far as samples look into it: a catalog of one hierarchy that is published. */
class Window {
  readonly #client: Client
  readonly #catalog: string
  readonly hierarchy: string
  /** A node with another below it and a product in it. */
  node = ''
  /** A parent with a child, which leads to another product. */
  parent = ''

  constructor(client: Client, catalog: string, hierarchy: string) {
    this.#client = client
    this.#catalog = catalog
    this.hierarchy = hierarchy
  }

  async send(method: string, path: string, data: unknown): Promise<Any> {
    const { status, body } = await this.#client.send(method, path, {
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body?.data
  }

  async get(path: string): Promise<Any> {
    const { status, body } = await this.#client.get(path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
    return body.data
  }

  /** Publishes all that there is by now, and says as which release. */
  async publish(): Promise<string> {
    const path = `/catalogs/${this.#catalog}/releases`
    const { id } = await this.send('POST', path, undefined)
    await vi.waitFor(
      async () => expect((await this.get(`${path}/${id}`)).meta.release_status).toBe('PUBLISHED'),
      { timeout: 40_000, interval: 20 },
    )
    return id
  }

  /** The release that shoppers see; published again, if somebody has deleted it. */
  async release(): Promise<string> {
    const { status, body } = await this.#client.get(`/catalogs/${this.#catalog}/releases/latestPublished`)
    return status === 200 ? body.data.id : this.publish()
  }

  async product(more: object = {}): Promise<string> {
    const attributes = {
      name: `Seen ${++made}`,
      commodity_type: 'physical',
      status: 'live',
      sku: `seen-${made}`,
    }
    return (
      await this.send('POST', '/pcm/products', { type: 'product', attributes: { ...attributes, ...more } })
    ).id
  }

  async put(product: string, node = this.node): Promise<void> {
    const path = `/pcm/hierarchies/${this.hierarchy}/nodes/${node}/relationships/products`
    await this.send('POST', path, [{ type: 'product', id: product }])
  }

  async nodeBelow(parent: string): Promise<string> {
    const type = parent === this.hierarchy ? 'hierarchy' : 'node'
    const data = {
      type: 'node',
      attributes: { name: `Shelf seen ${++made}` },
      relationships: { parent: { data: { type, id: parent } } },
    }
    return (await this.send('POST', `/pcm/hierarchies/${this.hierarchy}/nodes`, data)).id
  }

  /** One child more, of an option more. */
  async child(parent: string): Promise<string> {
    const links = `/pcm/products/${parent}/relationships/variations`
    const [linked] = await this.get(links)
    const attributes = { name: `a${++made}` }
    const variation =
      linked ?? (await this.send('POST', '/pcm/variations', { type: 'product-variation', attributes }))
    const option = { type: 'product-variation-option', attributes }
    await this.send('POST', `/pcm/variations/${variation.id}/options`, option)
    await this.send('PUT', links, [{ type: 'product-variation', id: variation.id }])
    const before = new Set((await this.get(`/pcm/products/${parent}/children?page[limit]=100`)).map(idOf))
    await this.send('POST', `/pcm/products/${parent}/build`, undefined)
    return vi.waitFor(
      async () => {
        const children = (await this.get(`/pcm/products/${parent}/children?page[limit]=100`)).map(idOf)
        const added = children.find((id: string) => !before.has(id))
        expect(added).toBeDefined()
        return added
      },
      { timeout: 40_000, interval: 20 },
    )
  }

  associate = (from: string, to: string) =>
    this.send('POST', `/pcm/products/${from}/custom-relationships/${slug}`, [{ type: 'product', id: to }])

  async another(): Promise<string> {
    const attributes = { name: `Hierarchy seen ${++made}` }
    const { id } = await this.send('POST', '/pcm/hierarchies', { type: 'hierarchy', attributes })
    const path = `/catalogs/${this.#catalog}`
    const { hierarchy_ids } = (await this.get(path)).attributes
    const changed = { hierarchy_ids: [...hierarchy_ids, id] }
    await this.send('PUT', path, { type: 'catalog', id: this.#catalog, attributes: changed })
    return id
  }

  async furnish(): Promise<void> {
    this.node = await this.nodeBelow(this.hierarchy)
    await this.nodeBelow(this.node)
    this.parent = await this.product()
    await this.child(this.parent)
    const attributes = { name: 'Goes with', slug }
    // Another window of the store may have it by now.
    const data = { type: 'custom-relationship', attributes }
    const { status } = await this.#client.post('/pcm/custom-relationships', { data })
    expect([201, 422]).toContain(status)
    const other = await this.product()
    await this.associate(this.parent, other)
    for (const product of [this.parent, other]) await this.put(product)
    await this.publish()
    await this.lead()
  }

  /** Whoever says nothing of who they are sees this window, and no longer the one before. */
  async lead(): Promise<void> {
    const type = 'catalog_rule'
    const attributes = { name: 'for everyone', catalog_id: this.#catalog }
    const known = rules.get(this.#client)
    if (known) await this.send('PUT', `/catalogs/rules/${known}`, { type, id: known, attributes })
    else rules.set(this.#client, (await this.send('POST', '/catalogs/rules', { type, attributes })).id)
  }
}

/** The rule of each store that has windows. */
const rules = new WeakMap<Client, string>()

const idOf = ({ id }: { id: string }): string => id

const windows = new WeakMap<Samples, Promise<Window>>()

/** That of the catalog which paths of samples lead to. */
function windowOf(client: Client, samples: Samples): Promise<Window> {
  const known = windows.get(samples)
  if (known) return known
  const open = async () => {
    const path = await samples.path('/catalogs/:catalog_id')
    const [, , catalog = ''] = path.split('/')
    const { hierarchy_ids } = (await client.get(path)).body.data.attributes
    const window = new Window(client, catalog, hierarchy_ids[0])
    await window.furnish()
    return window
  }
  const made = open()
  windows.set(samples, made)
  return made
}

/** Makes one in the window, publishes it, and shows it as shoppers see it. */
const shown =
  (path: string, make: (window: Window, at: string) => Promise<string>) =>
  async (client: Client, samples: Samples, collection: string) => {
    const window = await windowOf(client, samples)
    // What stands in the address before the last words of it.
    const [, , , at = ''] = collection.split('/')
    const id = await make(window, at)
    await window.publish()
    return window.get(`${path}/${id}`)
  }

const inWindow = (what: 'hierarchy' | 'node' | 'parent') => async (client: Client, samples: Samples) => {
  const window = await windowOf(client, samples)
  await window.release()
  return window[what]
}

const productIn = async (window: Window, node?: string): Promise<string> => {
  const id = await window.product()
  await window.put(id, node)
  return id
}

export const storefrontSamples: ModuleSamples = {
  opens: { '/catalog/': windowOf },
  queries: {
    'check-visibility': async (_client, samples) =>
      `?product=${(await samples.make(samples.named('product'))).id}`,
  },
  parameters: {
    releases: async (client, samples) => (await windowOf(client, samples)).release(),
    hierarchies: inWindow('hierarchy'),
    nodes: inWindow('node'),
    products: inWindow('parent'),
    relationships: async () => slug,
  },
  makers: {
    'product-of-catalog': shown('/catalog/products', (window) => productIn(window)),
    'product-of-node': shown('/catalog/products', (window) => productIn(window)),
    'child-of-product': shown('/catalog/products', (window, parent) => window.child(parent)),
    'related-product': shown('/catalog/products', async (window, from) => {
      const id = await productIn(window)
      await window.associate(from, id)
      return id
    }),
    'published-hierarchy': shown('/catalog/hierarchies', (window) => window.another()),
    'published-node': shown('/catalog/nodes', (window) => window.nodeBelow(window.hierarchy)),
    'node-of-hierarchy': shown('/catalog/nodes', (window) => window.nodeBelow(window.hierarchy)),
    'node-below': shown('/catalog/nodes', (window, above) => window.nodeBelow(above)),
  },
}
