import assert from 'node:assert/strict'
import { isCurrent } from '../../../server/kernel/storage/editions.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

/** The names of listed objects. */
export const namesIn = ({ data }: Any): string[] => data.map(({ attributes }: Any) => attributes.name)

/** A merchant by HTTP, who makes what is published. */
export const shopOf = (world: World) => {
  const send = async (method: string, path: string, data: unknown, expected: number): Promise<Any> => {
    const { status, body } = await world.admin.send(method, path, {
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    })
    assert.deepEqual([method, path, status, body?.errors], [method, path, expected, undefined])
    return body?.data
  }
  let counter = 0
  const name = (what: string) => `${what} ${++counter}`
  const shop = {
    send,
    get: async (path: string): Promise<Any> => {
      const { status, body } = await world.admin.get(path)
      assert.deepEqual([path, status], [path, 200])
      return body
    },
    product: async (attributes: object = {}): Promise<string> => {
      const sku = `sku-${++counter}`
      const all = {
        name: name('Loaf'),
        commodity_type: 'physical',
        status: 'live',
        sku,
        slug: sku,
        ...attributes,
      }
      return (await send('POST', '/pcm/products', { type: 'product', attributes: all }, 201)).id
    },
    change: (id: string, attributes: object) =>
      send('PUT', `/pcm/products/${id}`, { type: 'product', id, attributes }, 200),
    hierarchy: async (attributes: object = {}): Promise<string> => {
      const all = { name: name('Shop'), ...attributes }
      return (await send('POST', '/pcm/hierarchies', { type: 'hierarchy', attributes: all }, 201)).id
    },
    node: async (hierarchy: string, parent = hierarchy, attributes: object = {}): Promise<string> => {
      const type = parent === hierarchy ? 'hierarchy' : 'node'
      const relationships = { parent: { data: { type, id: parent } } }
      const all = { name: name('Shelf'), ...attributes }
      const data = { type: 'node', attributes: all, relationships }
      return (await send('POST', `/pcm/hierarchies/${hierarchy}/nodes`, data, 201)).id
    },
    put: (hierarchy: string, node: string, ...products: string[]) =>
      send(
        'POST',
        `/pcm/hierarchies/${hierarchy}/nodes/${node}/relationships/products`,
        products.map((id) => ({ type: 'product', id })),
        201,
      ),
    take: (hierarchy: string, node: string, ...products: string[]) =>
      send(
        'DELETE',
        `/pcm/hierarchies/${hierarchy}/nodes/${node}/relationships/products`,
        products.map((id) => ({ type: 'product', id })),
        204,
      ),
    catalog: async (hierarchies: string[], attributes: object = {}): Promise<string> => {
      const all = { name: name('Catalog'), hierarchy_ids: hierarchies, ...attributes }
      return (await send('POST', '/catalogs', { type: 'catalog', attributes: all }, 201)).id
    },
    /** The release, when it is published. */
    publish: async (catalog: string, data?: object): Promise<Any> => {
      const { id, meta } = await send('POST', `/catalogs/${catalog}/releases`, data, 201)
      assert.equal(meta.release_status, 'PENDING')
      return shop.published(catalog, id)
    },
    published: async (catalog: string, id: string): Promise<Any> => {
      const release = await until(async () => {
        const { data } = await shop.get(`/catalogs/${catalog}/releases/${id}`)
        return /PUBLISHED|FAILED/.test(data.meta.release_status) ? data : undefined
      })
      assert.equal(release.meta.release_status, 'PUBLISHED')
      return release
    },
  }
  return shop
}

/** What is published of a catalog at its current edition, without what differs with time and catalog. */
export async function publishedOf(world: World, catalog: string) {
  const at = `store_id = $1 AND catalog_id = $2 AND ${isCurrent()}`
  const values = [world.storeId, catalog]
  const products = await world.sql(
    `SELECT id, doc, hidden, (SELECT json_agg(json_build_array(node_id, place, curated) ORDER BY node_id)
       FROM published_node_products l WHERE l.store_id = p.store_id AND l.catalog_id = p.catalog_id
         AND l.id = p.id AND l.since = p.since AND l.until = p.until) AS nodes,
       (SELECT json_agg(json_build_array(name, place, id) ORDER BY name, place) FROM published_relations r
        WHERE r.store_id = p.store_id AND r.catalog_id = p.catalog_id AND r.product_id = p.id AND r.since = p.since) AS leads
     FROM published_products p WHERE ${at} ORDER BY id`,
    values,
  )
  const nodes = await world.sql(`SELECT id, doc, hidden FROM published_nodes WHERE ${at} ORDER BY id`, values)
  const totals = await world.sql(
    `SELECT list, scope[2] AS below, n::int FROM edition_totals
     WHERE store_id = $1 AND scope[1] = $2 AND ${isCurrent()} AND n > 0 ORDER BY list, scope[2]`,
    values,
  )
  const prices = await world.sql(
    `SELECT id, version, pricebook_id, doc FROM published_prices WHERE ${at} ORDER BY id`,
    values,
  )
  const texts = await world.sql(
    `SELECT id, updated_at, codes, words::text, (
       SELECT json_agg(json_build_array(field, value, number) ORDER BY field, value) FROM published_values v
       WHERE v.store_id = $1 AND v.catalog_id = $2 AND v.id = ANY(t.value_ids)) AS values
     FROM published_texts t WHERE ${at} ORDER BY id`,
    values,
  )
  const numbers = await world.sql(
    `SELECT id, field, number FROM published_numbers WHERE ${at} ORDER BY id, field, number`,
    values,
  )
  const spans = await world.sql(
    `SELECT id, pricebook_id, currency, amount, valid_from, valid_to FROM published_price_spans
     WHERE ${at} ORDER BY id, pricebook_id, currency, valid_from`,
    values,
  )
  const words = await world.sql(
    'SELECT word, n FROM published_words WHERE store_id = $1 AND catalog_id = $2 ORDER BY word',
    values,
  )
  const plain = ({ doc, hidden, ...rest }: Any) => {
    const { published_at: _at, hash: _hash, ...facts } = hidden
    const { catalog_id: _catalog, ...meta } = doc.meta
    return { ...rest, doc: { ...doc, meta }, facts }
  }
  return {
    products: products.rows.map(plain),
    nodes: nodes.rows.map(plain),
    totals: totals.rows,
    prices: prices.rows,
    search: [texts.rows, numbers.rows, spans.rows, words.rows],
  }
}
