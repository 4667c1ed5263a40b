import { afterAll, beforeAll, expect, test } from 'vitest'
import { valueId } from '../../../server/shop/sources/value-id.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

/** More than the newest products among which a page is looked for first. */
const products = 12_000
const ids = {
  even: valueId('tags', 'even'),
  old: valueId('tags', 'old'),
  third: valueId('tags', 'third'),
}

let world: World
let shop: ReturnType<typeof merchantOf>

beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = merchantOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  await shop.put(hierarchy, node, await shop.product({ name: 'Thing', sku: 'thing', tags: ['even'] }))
  await shop.publish(await shop.catalog([hierarchy]))
  const numbered = `(SELECT i, md5(i::text)::uuid AS id, timestamptz '2020-01-01' + i / 3 * interval '1 s' AS t
    FROM generate_series(1, ${products}) i) n`
  await world.sql(`INSERT INTO published_products (store_id, catalog_id, id, since, created_at, updated_at, doc, hidden,
      listed_in, name, sku, slug, product_type)
    SELECT p.store_id, p.catalog_id, n.id, p.since, n.t, n.t, p.doc, p.hidden, p.listed_in, p.name, 's' || n.i, NULL,
      p.product_type FROM published_products p, ${numbered}`)
  await world.sql(`INSERT INTO published_texts (store_id, catalog_id, id, since, updated_at, codes, words, value_ids)
    SELECT p.store_id, p.catalog_id, n.id, p.since, n.t, '{}', p.words, array_remove(ARRAY[
      CASE WHEN n.i % 2 = 0 THEN ${ids.even} END, CASE WHEN n.i < 3000 THEN ${ids.old} END,
      CASE WHEN n.i % 3 = 0 THEN ${ids.third} END], NULL) FROM published_texts p, ${numbered}`)
  await world.sql(`UPDATE edition_totals SET n = n + ${products} WHERE list = 'published_products.listed_in'`)
  await world.sql('ANALYZE published_products, published_texts')
})
afterAll(() => world.close())

/** What all the texts say. */
async function expected(where: string) {
  const { rows } = await world.sql(
    `SELECT id FROM published_texts WHERE ${where} ORDER BY updated_at DESC, id DESC`,
  )
  return rows.map(({ id }) => id as string)
}

test.for([
  ['tags:=even', `value_ids @> ARRAY[${ids.even}]`],
  ['tags:=old', `value_ids @> ARRAY[${ids.old}]`],
  ['tags:=old && tags:!=even', `value_ids @> ARRAY[${ids.old}] AND NOT value_ids @> ARRAY[${ids.even}]`],
  ['tags:=third || name:nothing', `value_ids @> ARRAY[${ids.third}]`],
] as const)('each page of %s has what is next among all products', async ([filter_by, where]) => {
  const all = await expected(where)
  const lastPage = Math.ceil(all.length / 100)
  for (const [page, per_page] of [
    [1, 100],
    [2, 100],
    [1, 10],
    [7, 10],
    [lastPage, 100],
    [lastPage + 1, 100],
  ] as const) {
    const [{ found, hits }] = (await shop.search({ filter_by, page, per_page })) as [Any]
    const first = (page - 1) * per_page
    expect([page, found, hits.map(({ document }: Any) => document.id)]).toEqual([
      page,
      all.length,
      all.slice(first, first + per_page),
    ])
  }
})

test('what is counted once is not counted for another page or order', async () => {
  const search = { filter_by: 'tags:=third', facet_by: 'tags' }
  const ask = async (more: object) => {
    const [{ found, facet_counts }] = (await shop.search({ ...search, ...more })) as [Any]
    return [found, facet_counts[0].counts.map(({ value, count }: Any) => [value, count])]
  }
  const first = await ask({})
  expect(first).toEqual([4000, [['even', 2000]]])
  // Without the texts of values, nothing can be counted.
  await world.sql(`DELETE FROM published_values WHERE field = 'tags'`)
  expect(await ask({ page: 2 })).toEqual(first)
  expect(await ask({ sort_by: 'sku:asc' })).toEqual(first)
  expect(await ask({ max_facet_values: 3 })).toEqual([4000, []])
})
