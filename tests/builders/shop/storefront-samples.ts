import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { until } from '../../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

const slug = 'CRP_of_the_samples'
const key = 'part'
let counter = 0

/** A merchant's shop window, as far as samples look into it: a catalog of one hierarchy that is published. */
class Window {
  readonly #client: Client
  readonly #catalog: string
  readonly hierarchy: string
  /** A node, and one below it. */
  node = ''
  below = ''
  /** A parent with a child, which leads to a dozen others that are in the node with it. */
  parent = ''
  child = ''
  related = ''
  /** In the node, too, with what it consists of. */
  bundle = ''
  component = ''

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
    return until(async () =>
      (await this.get(`${path}/${id}`)).meta.release_status === 'PUBLISHED' ? id : undefined,
    )
  }

  /** The release that shoppers see; published again, if somebody has deleted it. */
  async release(): Promise<string> {
    const { status, body } = await this.#client.get(`/catalogs/${this.#catalog}/releases/latestPublished`)
    return status === 200 ? body.data.id : this.publish()
  }

  async #product(more: object = {}): Promise<string> {
    const attributes = {
      name: `Seen ${++counter}`,
      commodity_type: 'physical',
      status: 'live',
      sku: `seen-${counter}`,
    }
    return (
      await this.send('POST', '/pcm/products', { type: 'product', attributes: { ...attributes, ...more } })
    ).id
  }

  async #nodeBelow(parent: string): Promise<string> {
    const type = parent === this.hierarchy ? 'hierarchy' : 'node'
    const data = {
      type: 'node',
      attributes: { name: `Shelf seen ${++counter}` },
      relationships: { parent: { data: { type, id: parent } } },
    }
    return (await this.send('POST', `/pcm/hierarchies/${this.hierarchy}/nodes`, data)).id
  }

  async #childOf(parent: string): Promise<string> {
    const attributes = { name: `a${++counter}` }
    const { id } = await this.send('POST', '/pcm/variations', { type: 'product-variation', attributes })
    const option = { type: 'product-variation-option', attributes }
    await this.send('POST', `/pcm/variations/${id}/options`, option)
    const linked = [{ type: 'product-variation', id }]
    await this.send('PUT', `/pcm/products/${parent}/relationships/variations`, linked)
    await this.send('POST', `/pcm/products/${parent}/build`, undefined)
    return until(async () => (await this.get(`/pcm/products/${parent}/children`))[0]?.id)
  }

  /** All that lists of shoppers show, so that one publication is enough for all of them. */
  async furnish(): Promise<void> {
    this.node = await this.#nodeBelow(this.hierarchy)
    this.below = await this.#nodeBelow(this.node)
    this.parent = await this.#product()
    this.child = await this.#childOf(this.parent)
    const others = await Promise.all(Array.from({ length: 12 }, () => this.#product()))
    this.related = others[0] as string
    this.component = await this.#product()
    const options = [{ type: 'product', id: this.component, quantity: 1 }]
    this.bundle = await this.#product({ components: { [key]: { name: 'Part', options } } })
    const attributes = { name: 'Goes with', slug }
    // Another window of the store may have it by now.
    const data = { type: 'custom-relationship', attributes }
    const { status } = await this.#client.post('/pcm/custom-relationships', { data })
    if (status !== 201 && status !== 422) throw new Error(`no custom relationship: ${status}`)
    await this.send('POST', `/pcm/products/${this.parent}/custom-relationships/${slug}`, linksTo(others))
    const shelf = `/pcm/hierarchies/${this.hierarchy}/nodes/${this.node}/relationships/products`
    await this.send('POST', shelf, linksTo([this.parent, this.bundle, this.component, ...others]))
    await this.publish()
  }

  #priced: Promise<string> | undefined

  /** A product with a price, by its id. */
  priced(): Promise<string> {
    this.#priced ??= this.#price()
    return this.#priced
  }

  async #price(): Promise<string> {
    const name = `Prices ${++counter}`
    const { id } = await this.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes: { name } })
    const { sku } = (await this.get(`/pcm/products/${this.component}`)).attributes
    const attributes = { sku, currencies: { USD: { amount: 500, includes_tax: false } } }
    await this.send('POST', `/pcm/pricebooks/${id}/prices`, { type: 'product-price', attributes })
    const catalog = { type: 'catalog', id: this.#catalog, attributes: { pricebook_id: id } }
    await this.send('PUT', `/catalogs/${this.#catalog}`, catalog)
    await this.publish()
    return this.component
  }

  /** Whoever says nothing of who they are sees this window, and no longer the one before. */
  async lead(): Promise<void> {
    const current = leading.get(this.#client)
    if (current?.window === this) return
    const type = 'catalog_rule'
    const attributes = { name: 'for everyone', catalog_id: this.#catalog }
    const rule = current?.rule ?? (await this.send('POST', '/catalogs/rules', { type, attributes })).id
    if (current) await this.send('PUT', `/catalogs/rules/${rule}`, { type, id: rule, attributes })
    leading.set(this.#client, { rule, window: this })
  }
}

/** Which window of each store leads, and by which rule. */
const leading = new WeakMap<Client, { readonly rule: string; readonly window: Window }>()

const linksTo = (ids: readonly string[]) => ids.map((id) => ({ type: 'product', id }))

const windows = new WeakMap<SharedSamples, Promise<Window>>()

/** That of the catalog which paths of samples lead to. */
function windowOf(client: Client, samples: SharedSamples): Promise<Window> {
  const cached = windows.get(samples)
  if (cached) return cached
  const open = async () => {
    const path = await samples.path('/catalogs/:catalog_id')
    const [, , catalog = ''] = path.split('/')
    const { hierarchy_ids } = (await client.get(path)).body.data.attributes
    const window = new Window(client, catalog, hierarchy_ids[0])
    await window.furnish()
    return window
  }
  const opening = open()
  windows.set(samples, opening)
  return opening
}

/** What is in the window, as shoppers see it. */
const shown =
  (path: string, which: (window: Window, at: string) => string) =>
  async (client: Client, samples: SharedSamples, collection: string) => {
    const window = await windowOf(client, samples)
    // What stands in the address before the last words of it.
    const [, , , at = ''] = collection.split('/')
    return window.get(`${path}/${which(window, at)}`)
  }

const inWindow =
  (what: 'hierarchy' | 'node' | 'parent') => async (client: Client, samples: SharedSamples) => {
    const window = await windowOf(client, samples)
    await window.release()
    return window[what]
  }

const released = async (client: Client, samples: SharedSamples) => (await windowOf(client, samples)).release()

/** To configure the bundle, at the address of its family. */
const configure = (products: string) => async (client: Client, samples: SharedSamples) =>
  `${await samples.path(products)}/${(await windowOf(client, samples)).bundle}/configure`

const configuration = async (client: Client, samples: SharedSamples) => ({
  data: { selected_options: { [key]: { [(await windowOf(client, samples)).component]: 1 } } },
})

/** The id of a product that every shopper can buy. */
export async function productForSale(client: Client, samples: SharedSamples): Promise<string> {
  const window = await windowOf(client, samples)
  const id = await window.priced()
  await window.lead()
  return id
}

/** A bundle that every shopper can buy, with the id of its only component. */
export async function bundleForSale(client: Client, samples: SharedSamples) {
  const component = await productForSale(client, samples)
  const { bundle: id } = await windowOf(client, samples)
  return { id, component, bundle_configuration: { selected_options: { [key]: { [component]: 1 } } } }
}

export const storefrontSamples: ModuleSamples = {
  opens: { '/catalog/': async (client, samples) => (await windowOf(client, samples)).lead() },
  queries: {
    'check-visibility': async (_client, samples) =>
      `?product=${(await samples.make(samples.named('product'))).id}`,
  },
  paths: {
    'configure-catalog-product': configure('/catalog/products'),
    'configure-release-product': configure('/catalogs/:catalog_id/releases/:release_id/products'),
  },
  bodies: { 'configure-catalog-product': configuration, 'configure-release-product': configuration },
  parameters: {
    releases: released,
    hierarchies: inWindow('hierarchy'),
    nodes: inWindow('node'),
    products: inWindow('parent'),
    relationships: async () => slug,
  },
  makers: {
    'product-of-catalog': shown('/catalog/products', ({ parent }) => parent),
    'product-of-node': shown('/catalog/products', ({ parent }) => parent),
    'child-of-product': shown('/catalog/products', ({ child }) => child),
    'related-product': shown('/catalog/products', ({ related }) => related),
    'published-hierarchy': shown('/catalog/hierarchies', ({ hierarchy }) => hierarchy),
    'published-node': shown('/catalog/nodes', ({ node }) => node),
    'node-of-hierarchy': shown('/catalog/nodes', ({ node }) => node),
    'node-below': shown('/catalog/nodes', ({ hierarchy, node, below }, at) =>
      at === hierarchy ? node : below,
    ),
  },
}
