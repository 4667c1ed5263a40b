import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedObject, OwnServer } from './own-server.ts'

/** The published catalog. */
export interface SeededCatalog {
  readonly storeId: string
  readonly catalogId: string
  readonly pricebookId: string
  /** Some of its products, and some of their SKUs. */
  readonly productIds: readonly string[]
  readonly skus: readonly string[]
}

/** The words of names. */
export const adjectives = [
  'red',
  'blue',
  'green',
  'woollen',
  'light',
  'heavy',
  'warm',
  'cotton',
  'striped',
  'plain',
]
export const nouns = [
  'shirt',
  'hat',
  'coat',
  'scarf',
  'sock',
  'shoe',
  'belt',
  'glove',
  'vest',
  'trousers',
  'apron',
  'cap',
]

/** Publishes a catalog of one product, and copies its published rows by SQL, each with its own texts. */
export async function seedPublished(server: OwnServer, rows: number): Promise<SeededCatalog> {
  const { call, database } = server
  const make = async (path: string, type: string, attributes: object, more: object = {}) =>
    (await call<{ data: CreatedObject }>('POST', path, { type, attributes, ...more }, 201)).data.id
  const hierarchyId = await make('/pcm/hierarchies', 'hierarchy', { name: 'Shop' })
  const at = `/pcm/hierarchies/${hierarchyId}/nodes`
  const relationships = { parent: { data: { type: 'hierarchy', id: hierarchyId } } }
  const nodeId = await make(at, 'node', { name: 'Shelf' }, { relationships })
  const description = 'Made of what there is, to be worn when there is nothing else to wear. '.repeat(3)
  const product = {
    name: 'Thing',
    sku: 'thing',
    slug: 'thing',
    commodity_type: 'physical',
    status: 'live',
    description,
  }
  const productId = await make('/pcm/products', 'product', product)
  await call(
    'POST',
    `${at}/${nodeId}/relationships/products`,
    [{ type: 'product', id: productId }] as never,
    201,
  )
  const pricebookId = await make('/pcm/pricebooks', 'pricebook', { name: 'Book' })
  const currencies = { USD: { amount: 1000, includes_tax: false } }
  await make(`/pcm/pricebooks/${pricebookId}/prices`, 'product-price', { sku: 'thing', currencies })
  const catalogId = await make('/catalogs', 'catalog', {
    name: 'All',
    hierarchy_ids: [hierarchyId],
    pricebook_id: pricebookId,
  })
  await published(server, catalogId)
  const [[storeId] = []] = await database.run({
    text: 'SELECT store_id FROM catalogs WHERE id = $1',
    values: [catalogId],
  })
  for (const text of copies) await database.run({ text, values: [catalogId, rows], long: true })
  await database.run({ text: 'VACUUM ANALYZE', values: [], long: true })
  const some = await database.run({
    text: 'SELECT id, sku FROM published_products WHERE catalog_id = $1 ORDER BY md5(id::text) LIMIT 20000',
    values: [catalogId],
  })
  return {
    storeId: storeId as string,
    catalogId,
    pricebookId,
    productIds: some.map(([id]) => id as string),
    skus: some.map(([, sku]) => sku as string),
  }
}

/** Copies the product, its place and its price for `some` of the published rows, so that these can be changed. */
export async function seedSources({ database }: OwnServer, rows: number, some: number): Promise<void> {
  const step = Math.max(1, Math.floor(rows / some))
  for (const text of sources) await database.run({ text, values: [rows, step], long: true })
  await database.run({ text: 'ANALYZE products, prices, node_products', values: [] })
}

async function published({ call }: OwnServer, catalogId: string): Promise<void> {
  const path = `/catalogs/${catalogId}/releases`
  const { data } = await call<{ data: CreatedObject }>('POST', path, { type: 'catalog-release' }, 201)
  for (;;) {
    const release = await call<{ data: { meta: { release_status: string } } }>('GET', `${path}/${data.id}`)
    if (release.data.meta.release_status === 'PUBLISHED') return
    if (release.data.meta.release_status === 'FAILED') throw new Error('publishing failed')
    await sleep(20)
  }
}

const listed = (words: readonly string[]) => `(ARRAY[${words.map((word) => `'${word}'`)}])`
const name = `${listed(adjectives)}[1 + i % ${adjectives.length}] || ' ' || ${listed(nouns)}[1 + i / 7 % ${nouns.length}] || ' ' || i % 997`
const numbered = `(SELECT i, md5(i::text)::uuid AS id, timestamptz '2026-01-01' + i * interval '1 s' AS t, ${name} AS name
  FROM generate_series(1, $2::int) i) n`
/**
 * The values of a product: one of ten shelves, one of a hundred parts, one of 500 brands, one of 1,000 tags, and a
 * unique reference.
 */
const values = [
  `(1, 'categories.lvl0', 'Shop', NULL)`,
  `(2, 'categories.lvl1', 'Shop > Shelf ' || i % 10, NULL)`,
  `(3, 'categories.lvl2', 'Shop > Shelf ' || i % 10 || ' > Part ' || i % 100, NULL)`,
  `(4, 'extensions.products(brands).name', 'Brand ' || i * 7 % 500, NULL)`,
  `(5, 'extensions.products(brands).weight', (i % 300)::text, i % 300)`,
  `(6, 'tags', 'sold', NULL)`,
  `(7, 'tags', 'tag-' || i % 1000, NULL)`,
  `(8, 'commodity_type', 'physical', NULL)`,
  `(9, 'base_product', 'false', NULL)`,
  `(10, 'external_ref', 'Ref ' || i, NULL)`,
]

/** The SQL of `valueId`. */
const id = `('x' || left(encode(sha256(convert_to(v.field, 'UTF8') || '\\x00' || convert_to(v.value, 'UTF8')), 'hex'), 16))::bit(64)::bigint`

/** The SQL of `wordId`, for each word of a value that is not a number. */
const wordIds = `SELECT DISTINCT ('x' || left(encode(sha256(
    convert_to(v.field, 'UTF8') || '\\x0000' || convert_to(w.word, 'UTF8')), 'hex'), 16))::bit(64)::bigint
  FROM (VALUES ${values}) v (place, field, value, number)
  CROSS JOIN LATERAL regexp_split_to_table(lower(v.value), '[^a-z0-9]+') w (word)
  WHERE v.number IS NULL AND w.word <> ''`

const copies = [
  `INSERT INTO published_products (store_id, catalog_id, id, since, created_at, updated_at, doc, hidden, listed_in, name, sku, slug, product_type)
   SELECT p.store_id, p.catalog_id, n.id, p.since, n.t, n.t,
     replace(replace(p.doc::text, '"Thing"', to_json(n.name)::text), '"thing"', '"thing-' || n.i || '"')::json, p.hidden,
     p.listed_in, n.name, 'thing-' || n.i, 'thing-' || n.i, p.product_type
   FROM published_products p, ${numbered} WHERE p.catalog_id = $1`,
  `INSERT INTO published_texts (store_id, catalog_id, id, since, updated_at, codes, words, value_ids, word_ids)
   SELECT p.store_id, p.catalog_id, n.id, p.since, n.t, ARRAY['thing' || n.i],
     setweight(to_tsvector('simple', n.name), 'A') || ('thing' || n.i || ':2B thing:2B ' || n.i || ':2B')::tsvector
       || ts_filter(p.words, '{d}'),
     ARRAY(SELECT ${id} FROM (VALUES ${values}) v (place, field, value, number)), ARRAY(${wordIds})
   FROM published_texts p, ${numbered} WHERE p.catalog_id = $1`,
  `INSERT INTO published_values (store_id, catalog_id, id, field, value, number, words)
   SELECT DISTINCT c.store_id, c.id, ${id}, v.field, v.value, v.number,
     array_to_tsvector(array_remove(regexp_split_to_array(lower(v.value), '[^a-z0-9]+'), ''))
   FROM catalogs c, ${numbered} CROSS JOIN LATERAL (VALUES ${values}) v (place, field, value, number)
   WHERE c.id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO published_numbers (store_id, catalog_id, id, since, place, field, number)
   SELECT p.store_id, p.catalog_id, n.id, p.since, v.place, v.field, v.number
   FROM published_texts p JOIN ${numbered} ON n.id = p.id
   CROSS JOIN LATERAL (VALUES ${values}) v (place, field, value, number)
   WHERE p.catalog_id = $1 AND v.number IS NOT NULL`,
  `INSERT INTO published_price_spans (store_id, catalog_id, id, since, place, pricebook_id, currency, amount, valid_from, valid_to)
   SELECT s.store_id, s.catalog_id, n.id, s.since, s.place, s.pricebook_id, s.currency, 500 + n.i * 13 % 20000, s.valid_from, s.valid_to
   FROM published_price_spans s, ${numbered} WHERE s.catalog_id = $1`,
  `INSERT INTO published_prices (store_id, catalog_id, id, since, pricebook_id, sku, version, doc)
   SELECT s.store_id, s.catalog_id, n.id, s.since, s.pricebook_id, 'thing-' || n.i, s.version,
     replace(s.doc::text, '1000', (500 + n.i * 13 % 20000)::text)::json
   FROM published_prices s, ${numbered} WHERE s.catalog_id = $1`,
  `INSERT INTO published_words (store_id, catalog_id, word, n)
   SELECT store_id, catalog_id, u.word, count(*) FROM published_texts, unnest(tsvector_to_array(words)) u (word)
   WHERE catalog_id = $1 AND $2::int > 0 AND u.word !~ '^=|[0-9]' GROUP BY 1, 2, 3 ON CONFLICT (store_id, catalog_id, word) DO UPDATE SET n = excluded.n`,
  `UPDATE edition_totals SET n = n + $2::int WHERE scope[1] = $1 AND list = 'published_products.listed_in'`,
]

/** Nobody is told of the copies. */
const quiet = `WITH quiet AS (SELECT set_config('session_replication_role', 'replica', true))`
const changeable = `quiet, (SELECT i, md5(i::text)::uuid AS id, timestamptz '2026-01-01' + i * interval '1 s' AS t
  FROM generate_series(1, $1::int, $2::int) i) n`
const withSku = (doc: string) => `replace(${doc}::text, '"thing"', '"thing-' || n.i || '"')::json`

const sources = [
  `${quiet} INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
   SELECT p.store_id, n.id, n.t, n.t, ${withSku('p.doc')}, p.hidden FROM ${changeable}, products p WHERE p.sku = 'thing'`,
  `${quiet} INSERT INTO node_products (store_id, node_id, id, created_at, updated_at, doc, product_updated_at)
   SELECT l.store_id, l.node_id, n.id, n.t, n.t, l.doc, n.t
   FROM ${changeable}, node_products l JOIN products p ON p.store_id = l.store_id AND p.id = l.id WHERE p.sku = 'thing'`,
  `${quiet} INSERT INTO prices (store_id, pricebook_id, id, created_at, updated_at, doc, hidden)
   SELECT p.store_id, p.pricebook_id, md5('price ' || n.i)::uuid, n.t, n.t, ${withSku('p.doc')}, p.hidden
   FROM ${changeable}, prices p WHERE p.sku = 'thing'`,
]
