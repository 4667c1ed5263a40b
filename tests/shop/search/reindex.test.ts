import { afterAll, beforeAll, expect, test } from 'vitest'
import { reindexSearches } from '../../../server/shop/publishing/reindex-search.ts'
import { searchForm } from '../../../server/shop/sources/searchable.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = merchantOf(world)
})
afterAll(() => world.close())

test('a catalog published by an older version is reindexed as publishing would write it', async () => {
  const hierarchy = await shop.hierarchy({ name: 'All', slug: 'everything' })
  const node = await shop.node(hierarchy, hierarchy, { name: 'Radio', slug: 'radio' })
  const product = await shop.product({ name: 'Wi-Fi 日本語', external_ref: 'Acme & Sons' })
  await shop.put(hierarchy, node, product)
  await shop.publish(await shop.catalog([hierarchy]))
  const rows = async () => ({
    texts: (
      await world.sql(`SELECT words, ARRAY(SELECT unnest(value_ids) ORDER BY 1) AS value_ids,
       ARRAY(SELECT unnest(word_ids) ORDER BY 1) AS word_ids FROM published_texts ORDER BY id, since`)
    ).rows,
    values: (await world.sql('SELECT field, value, words FROM published_values ORDER BY field, value')).rows,
    words: (await world.sql('SELECT word, n FROM published_words ORDER BY word')).rows,
  })
  const published = await rows()
  // As an older version wrote them.
  await world.sql(
    `UPDATE published_texts SET word_ids = '{}', words = '''wi'':1A ''fi'':1A ''日本語'':1A',
       value_ids = (SELECT array_agg(id) FROM published_values WHERE field NOT LIKE 'nodes.%')`,
  )
  await world.sql(`UPDATE published_values SET words = ''`)
  await world.sql(`DELETE FROM published_values WHERE field LIKE 'nodes.%'`)
  await world.sql(`DELETE FROM published_words WHERE length(word) = 2 OR word = 'wifi'`)
  await world.sql(`UPDATE published_products SET hidden = hidden::jsonb - 'node_slugs'`)
  await world.sql('UPDATE catalog_editions SET search_form = 1')

  const names = async (search: object) => (await shop.names(search)).length
  const before = [
    { q: 'wi-fi' },
    { q: '日本語' },
    { filter_by: 'categories.lvl0:=All' },
    { filter_by: 'external_ref:`Acme & Sons`' },
  ]
  const since = [
    { q: 'wifi' },
    { q: '本語' },
    { filter_by: 'external_ref:sons' },
    { filter_by: 'meta.search.nodes.slug:=everything' },
  ]
  expect(await Promise.all(before.map(names))).toEqual([1, 1, 1, 1])
  expect(await Promise.all(since.map(names))).toEqual([0, 0, 0, 0])

  await reindexSearches.run(world.server.instance)
  await expect
    .poll(
      async () => (await world.sql('SELECT min(search_form) AS form FROM catalog_editions')).rows[0].form,
      {
        timeout: 20_000,
      },
    )
    .toBe(searchForm)
  const written = await rows()
  expect(written).toEqual(published)
  // What was asked before is not remembered.
  expect(await Promise.all([...before, ...since].map(names))).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
})
