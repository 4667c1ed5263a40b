import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type SearchIndexes, searchIndexes } from '../../../server/shop/indexes/search-indexes.ts'
import { untilWaiting } from '../../support/in-the-way.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>
let indexes: SearchIndexes
let hierarchy: string
let node: string
let catalog: string
const ids: string[] = []

const colours = ['red', 'blue', 'green']
const attributesOf = (i: number) => ({
  name: `${colours[i % 3]} thing ${i % 5}`,
  sku: `s-${i}`,
  tags: [`tag-${i % 4}`, ...(i % 2 ? ['odd'] : [])],
})

beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = merchantOf(world)
  indexes = searchIndexes(world.server.instance)
  Object.assign(indexes, { productsMin: 1, foundMin: 0 })
  hierarchy = await shop.hierarchy()
  node = await shop.node(hierarchy)
  for (let i = 0; i < 20; i++) ids.push(await shop.product(attributesOf(i)))
  await shop.put(hierarchy, node, ...ids)
  catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
})
afterAll(() => world.close())

const searches: readonly { q?: string; filter_by?: string; sort_by?: string }[] = [
  {},
  { q: 'thing' },
  { q: 'red thing' },
  { q: 's-3' },
  { filter_by: 'tags:=odd' },
  { filter_by: 'tags:!=tag-1 && name:blue' },
  { q: 'thing', filter_by: 'tags:=[tag-1,tag-3]', sort_by: 'name:desc' },
  { q: 'green', sort_by: '_text_match:desc,sku:asc' },
]

/** Two filters that mean the same, so that of the second nothing is cached. */
function filtersOf({ filter_by = 'sku:!=z' }: { readonly filter_by?: string }) {
  return [`(${filter_by}) && sku:!=x`, `(${filter_by}) && sku:!=y`] as const
}

/** Searches PostgreSQL, and then what is in memory, which must know all of it. */
async function expectSameInMemory(): Promise<Any[]> {
  const productsMin = indexes.productsMin
  const results: Any[] = []
  const readLater = vi.spyOn(indexes, 'readLater')
  for (const search of searches) {
    const [one, other] = filtersOf(search)
    const all = { ...search, facet_by: 'tags', per_page: 50 }
    const find = async (filter_by: string) => {
      const [{ search_time_ms: _, ...result }] = (await shop.search({ ...all, filter_by })) as [Any]
      return result
    }
    indexes.productsMin = Number.POSITIVE_INFINITY
    const expected = await find(one)
    indexes.productsMin = productsMin
    readLater.mockClear()
    expect(await find(other)).toEqual(expected)
    expect(readLater.mock.calls.map(([, { key }]) => key)).toEqual([])
    results.push(expected)
  }
  readLater.mockRestore()
  return results
}

/** Searches until all pieces are read: first the index itself, then what it is searched by. Returns what was read. */
async function warm(): Promise<string[]> {
  const readLater = vi.spyOn(indexes, 'readLater')
  for (const n of [1, 2]) {
    for (const search of searches) {
      for (const filter of filtersOf(search))
        await shop.search({ ...search, facet_by: 'tags', filter_by: `${filter} && sku:!=w${n}` })
    }
    await indexes.loading
  }
  const keys = readLater.mock.calls.map(([, { key }]) => key)
  readLater.mockRestore()
  return keys
}

test('a search of an index in memory has the result of a search of PostgreSQL', async () => {
  await warm()
  const [all] = await expectSameInMemory()
  expect(all.found).toBe(20)
})

test('the index of the next release has what changed, without reading the rest', async () => {
  await shop.change(ids[3] as string, { name: 'red coat', tags: ['a-new-tag', 'odd'] })
  await shop.change(ids[4] as string, { name: 'A blue thing' })
  await shop.change(ids[6] as string, { status: 'draft' })
  await shop.put(
    hierarchy,
    node,
    await shop.product({ name: 'red thing', sku: 's-20', tags: ['zebra', 'odd'] }),
  )
  await shop.publish(catalog)
  // Only the orders of a release are read again.
  expect((await warm()).filter((key) => !key.startsWith('order '))).toEqual([])
  const [all, things] = await expectSameInMemory()
  expect([all.found, things.found]).toEqual([20, 19])
  const values = all.facet_counts[0].counts.map(({ value }: Any) => value)
  expect(values).toEqual(['odd', 'tag-0', 'tag-1', 'tag-2', 'tag-3', 'a-new-tag', 'zebra'])
})

test('after a release was deleted, its index is not used', async () => {
  const { rows } = await world.sql(
    'SELECT release_id FROM catalog_editions WHERE catalog_id = $1 ORDER BY edition DESC LIMIT 1',
    [catalog],
  )
  await shop.send('DELETE', `/catalogs/${catalog}/releases/${rows[0].release_id}`, undefined, 204)
  const [{ found }] = (await shop.search({ q: 'coat' })) as [Any]
  expect(found).toBe(0)
  await shop.change(ids[5] as string, { name: 'green coat' })
  await shop.publish(catalog)
  await warm()
  const [all] = await expectSameInMemory()
  expect(all.found).toBe(20)
  expect(await shop.names({ q: 'green coat' })).toEqual(['green coat'])
})

test('a search that is given up before PostgreSQL has answered has its pieces read as well', async () => {
  const readLater = vi.spyOn(indexes, 'readLater')
  const client = new AbortController()
  const blocker = await world.server.instance.database.pool.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE published_texts')
    const searching = fetch(`${world.url}/catalog/multi-search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.shopper.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ searches: [{ filter_by: 'name:late' }] }),
      signal: client.signal,
    })
    await untilWaiting(world, 1)
    client.abort()
    await expect(searching).rejects.toThrow()
    await vi.waitUntil(() => readLater.mock.calls.some(([, { key }]) => key.includes('late')))
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  readLater.mockRestore()
  await indexes.loading
})
