import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>

beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = merchantOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  for (let i = 0; i < 12; i++) {
    await shop.put(hierarchy, node, await shop.product({ name: `P${i}`, external_ref: `Ref ${i} T-${i}` }))
  }
  await shop.publish(await shop.catalog([hierarchy]))
})
afterAll(() => world.close())

const names = async (filter_by: string) => (await shop.names({ filter_by })).sort()

test('many words of a field are looked up together, including compounds', async () => {
  expect(await names(`external_ref:[${[...Array(10).keys()]}]`)).toHaveLength(10)
  expect(await names(`external_ref:[${Array.from({ length: 10 }, (_, i) => `ref ${i}`)}]`)).toHaveLength(10)
  expect(await names(`external_ref:[${Array.from({ length: 10 }, (_, i) => `t${i}`)}]`)).toHaveLength(10)
  expect(await names(`external_ref:[${Array.from({ length: 10 }, (_, i) => `t-${i}`)}]`)).toHaveLength(10)
  const whole = Array.from({ length: 10 }, (_, i) => `\`Ref ${i} T-${i}\``)
  expect(await names(`external_ref:=[${whole}]`)).toHaveLength(10)
  expect(await names(`external_ref:!=[${whole}]`)).toEqual(['P10', 'P11'])
  expect(await names(`external_ref:![${whole}]`)).toEqual(['P10', 'P11'])
  expect(await names(`external_ref:[${[...Array(10).keys()].map((i) => `x${i}`)}]`)).toEqual([])
})

test('looking up a word does not depend on the number of values', async () => {
  // It was compared with each different value.
  await world.sql(`DELETE FROM published_values WHERE field = 'external_ref'`)
  expect(await names('external_ref:7')).toEqual(['P7'])
})

test('many frequent words are looked up in one pass', async () => {
  await world.sql(
    `INSERT INTO published_texts (store_id, catalog_id, id, since, updated_at, codes, words, value_ids, word_ids)
     SELECT t.store_id, t.catalog_id, gen_random_uuid(), t.since, t.updated_at, t.codes, t.words, t.value_ids, t.word_ids
     FROM published_texts t JOIN published_products p USING (store_id, catalog_id, id), generate_series(1, 300)
     WHERE p.name <> 'P11'`,
  )
  const [words, values] = (await shop.search(
    { filter_by: `external_ref:[${[...Array(11).keys()]}]` },
    { filter_by: `external_ref:=[${Array.from({ length: 11 }, (_, i) => `\`Ref ${i} T-${i}\``)}]` },
  )) as [Any, Any]
  expect([words.found, values.found]).toEqual([11 * 301, 11 * 301])
})
