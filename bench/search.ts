import { parseFilter } from '../server/search/filter-syntax.ts'
import { searchedWords } from '../server/search/run-search.ts'
import { searchField } from '../server/search/search-fields.ts'
import { searchSql } from '../server/search/search-sql.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { type SeededCatalog, seedPublished } from './seed-published.ts'

/**
 * `node bench/search.ts [products clients seconds]`: what searches of a published catalog take, with two facets of 25
 * products each, beside the one statement that finds and counts (not what shows the products).
 */
const [products = 100_000, clients = 2, seconds = 5] = process.argv.slice(2).map(Number)

interface Searched {
  readonly q: string
  readonly filter_by: string
  readonly facet_by: string
}

const facet_by = 'categories.lvl1,extensions.products(brands).name'
const searches: Readonly<Record<string, Searched>> = {
  'all products': { q: '*', filter_by: '', facet_by },
  'two words': { q: 'red shirt', filter_by: '', facet_by },
  'a word and a filter': { q: 'shirt', filter_by: 'categories.lvl1:=`Shop > Shelf 3`', facet_by },
  'a filter of a tenth': { q: '*', filter_by: 'categories.lvl1:=`Shop > Shelf 3`', facet_by },
  'a filter and a price': {
    q: '*',
    filter_by: 'categories.lvl1:=`Shop > Shelf 3` && price.USD.float_price:[10..50]',
    facet_by: 'categories.lvl2,price.USD.float_price',
  },
  'a slip': { q: 'trosuers', filter_by: '', facet_by },
}

const server = await startOwnServer()
try {
  const seeded = await seedPublished(server, products)
  process.stdout.write('| | found | searches/s | median, ms | 95 %, ms | statement alone, median ms |\n')
  process.stdout.write('|---|--:|--:|--:|--:|--:|\n')
  for (const [name, search] of Object.entries(searches)) await measure(server, seeded, name, search)
} finally {
  await server.stop()
}

async function measure(
  server: OwnServer,
  seeded: SeededCatalog,
  name: string,
  search: Searched,
): Promise<void> {
  const found = await ask(server, search)
  const times: number[] = []
  const endsAt = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endsAt) times.push(await timeOf(() => ask(server, search)))
    }),
  )
  const bare = await bareTimes(server, seeded, search)
  const perSecond = times.length / seconds
  const cells = [found, perSecond.toFixed(1), at(times, 0.5), at(times, 0.95), at(bare, 0.5)]
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`)
}

async function ask({ url, token }: OwnServer, search: Searched): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ searches: [{ ...search, per_page: 25 }] })
  const answer = await fetch(`${url}/catalog/multi-search`, { method: 'POST', headers, body })
  const { results } = (await answer.json()) as { results: readonly { found: number }[] }
  return (results[0] as { found: number }).found
}

async function bareTimes(
  { database }: OwnServer,
  { storeId, catalogId, pricebookId }: SeededCatalog,
  { q, filter_by, facet_by }: Searched,
): Promise<readonly number[]> {
  const shop = {
    catalogId,
    edition: 1,
    books: [pricebookId],
    at: new Date(),
    decimals: new Map([['USD', 2]]),
  }
  const question = {
    words: searchedWords(q),
    code: '',
    filter: parseFilter(filter_by),
    facets: facet_by.split(',').map(searchField),
    valuesMax: 10,
    limit: 25,
    offset: 0,
  }
  const { text, values } = searchSql(question, shop)
  const times: number[] = []
  for (let i = 0; i < 15; i++) {
    const run = () => database.run({ text, values: [storeId, ...values.slice(1)], once: true })
    times.push(await timeOf(run))
  }
  return times
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function at(times: readonly number[], part: number): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? 0).toFixed(1)
}
