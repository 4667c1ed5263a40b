import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { parseFilter } from '../server/shop/matching/filter-syntax.ts'
import { searchField, sortField } from '../server/shop/matching/search-fields.ts'
import { searchSql } from '../server/shop/matching/search-sql.ts'
import { parseQuery } from '../server/shop/matching/searched-words.ts'
import { parseFacets } from '../server/shop/search/facet-by.ts'
import { parseSort } from '../server/shop/search/read-searches.ts'
import { codeOf } from '../server/shop/sources/words.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { adjectives, nouns, type SeededCatalog, seedPublished } from './seed-published.ts'

/**
 * `node bench/search.ts [products clients seconds]`: measures searches of a published catalog, each with two facets
 * and a page of 25 products, first uncached and then cached. It also measures the processor time of the statement that
 * finds and counts, without showing the products. The server refuses a search that takes longer than its ten seconds:
 * it is counted as refused, and its time is not among the others.
 */
const [products = 100_000, clients = 2, seconds = 5] = process.argv.slice(2).map(Number)

interface SearchRequest {
  readonly q: string
  readonly filter_by: string
  readonly facet_by: string
  readonly sort_by?: string
}

const facet_by = 'categories.lvl1,extensions.products(brands).name'
const searches: Readonly<Record<string, SearchRequest>> = {
  'all products': { q: '*', filter_by: '', facet_by },
  'two words': { q: 'red shirt', filter_by: '', facet_by },
  'a word and a filter': { q: 'shirt', filter_by: 'categories.lvl1:=`Shop > Shelf 3`', facet_by },
  'a filter of a tenth': { q: '*', filter_by: 'categories.lvl1:=`Shop > Shelf 3`', facet_by },
  'a filter and a price': {
    q: '*',
    filter_by: 'categories.lvl1:=`Shop > Shelf 3` && price.USD.float_price:[10..50]',
    facet_by: 'categories.lvl2,price.USD.float_price',
  },
  'a typo': { q: 'trosuers', filter_by: '', facet_by },
  'a word of a value that one product has': { q: '*', filter_by: 'external_ref:4711', facet_by },
  'a word of as many values as there are products': { q: '*', filter_by: 'external_ref:ref', facet_by },
  '250 words of a field': {
    q: '*',
    filter_by: `external_ref:[${Array.from({ length: 250 }, (_, i) => 4000 + i)}]`,
    facet_by,
  },
  'a word, by price': { q: 'shirt', filter_by: '', facet_by, sort_by: 'price.USD.float_price:asc' },
  'all products, by name': { q: '*', filter_by: '', facet_by: '', sort_by: 'name:asc' },
}

const warmingMs = 10_000

/** The search number `i`; each number is another search. */
const freshSearches: Readonly<Record<string, (i: number) => SearchRequest>> = {
  'of a hundredth: two words': (i) => ({
    q: `${adjectives[i % adjectives.length]} ${nouns[Math.floor(i / adjectives.length) % nouns.length]}`,
    filter_by: weights(-i, 300),
    facet_by,
  }),
  'of a hundredth: a filter': (i) => ({
    q: '*',
    filter_by: weights(i % 290, (i % 290) + 2 + i / 1e4),
    facet_by,
  }),
  'of a tenth: a filter': (i) => ({
    q: '*',
    filter_by: weights(i % 270, (i % 270) + 29 + i / 1e4),
    facet_by,
  }),
  'of a tenth: a word': (i) => ({
    q: `${adjectives[i % adjectives.length]}`,
    filter_by: weights(-i, 300),
    facet_by,
  }),
  'of a tenth: a price': (i) => ({
    q: '*',
    filter_by: `price.USD.float_price:[${5 + (i % 170)}..${25 + (i % 170) + i / 1e4}]`,
    facet_by,
  }),
  'of all products': (i) => ({ q: '*', filter_by: weights(-i, 300), facet_by }),
  'of all products, by name': (i) => ({
    ...{ q: '*', filter_by: weights(-i, 300), facet_by: '', sort_by: 'name:asc' },
  }),
}
const weights = (from: number, to: number) => `extensions.products(brands).weight:[${from}..${to}]`

const server = await startOwnServer()
try {
  const seeded = await seedPublished(server, products)
  process.stdout.write('| | found | first time: searches/s | median, ms | 95 %, ms ')
  process.stdout.write('| refused | again: searches/s | median, ms | 95 %, ms | refused | PostgreSQL, ms |\n')
  process.stdout.write('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n')
  for (const [name, search] of Object.entries(searches)) await measure(server, seeded, name, search)
  process.stdout.write(
    '\n| searches that nobody made before | found | searches/s | median, ms | 95 %, ms | refused |\n',
  )
  process.stdout.write('|---|--:|--:|--:|--:|--:|\n')
  for (const [name, search] of Object.entries(freshSearches)) await measureFresh(server, name, search)
} finally {
  await server.stop()
}

async function measure(
  server: OwnServer,
  seeded: SeededCatalog,
  name: string,
  search: SearchRequest,
): Promise<void> {
  const result = await ask(server, search)
  // Another limit of facet values makes a request that is not cached, with the same work.
  let requests = 0
  const first = await timesOf(() => ask(server, { ...search, max_facet_values: 10 + requests++ }))
  const again = await timesOf(() => ask(server, search))
  const cells = [...cellsOf(first), ...cellsOf(again), at(await processorTimes(server, seeded, search), 0.5)]
  process.stdout.write(`| ${name} | ${[result ?? '–', ...cells].join(' | ')} |\n`)
}

/** Searches of the same kind and words go before, so that the parts of the index that these need are read. */
async function measureFresh(server: OwnServer, name: string, search: (i: number) => SearchRequest) {
  for (let turn = 1; turn <= 3; turn++) {
    for (let i = 0; i < nouns.length; i++) await ask(server, search(turn * 100_000 + 11 * i))
    await sleep(warmingMs)
  }
  let i = 0
  const found = await ask(server, search(i++))
  const times = await timesOf(() => ask(server, search(i++)))
  process.stdout.write(`| ${name} | ${[found ?? '–', ...cellsOf(times)].join(' | ')} |\n`)
}

/** The times of some searches, in milliseconds. */
interface SearchTimes {
  readonly answered: readonly number[]
  readonly refused: number
}

async function timesOf(work: () => Promise<number | undefined>): Promise<SearchTimes> {
  const answered: number[] = []
  let refused = 0
  const endsAt = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endsAt) {
        const began = performance.now()
        if ((await work()) === undefined) refused += 1
        else answered.push(performance.now() - began)
      }
    }),
  )
  return { answered, refused }
}

function cellsOf({ answered, refused }: SearchTimes): readonly string[] {
  return [(answered.length / seconds).toFixed(1), at(answered, 0.5), at(answered, 0.95), `${refused}`]
}

/** How many products are found; undefined if the search was refused because it took too long. */
async function ask(
  { url, token }: OwnServer,
  search: SearchRequest & { readonly max_facet_values?: number },
): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ searches: [{ ...search, per_page: 25 }] })
  const answer = await fetch(`${url}/catalog/multi-search`, { method: 'POST', headers, body })
  const text = await answer.text()
  if (text.includes('The request took longer')) return undefined
  if (answer.status !== 200) throw new Error(`a search was answered ${answer.status}: ${text}`)
  const { results } = JSON.parse(text) as { results: readonly [{ found: number }] }
  return results[0].found
}

async function processorTimes(
  { databaseUrl }: OwnServer,
  { storeId, catalogId, pricebookId }: SeededCatalog,
  { q, filter_by, facet_by, sort_by = '' }: SearchRequest,
): Promise<readonly number[]> {
  const shop = {
    catalogId,
    edition: 1,
    books: [pricebookId],
    at: new Date(),
    currency: 'USD',
    decimals: new Map([['USD', 2]]),
  }
  const question = {
    words: parseQuery(q),
    code: codeOf(q),
    filter: parseFilter(filter_by),
    facets: parseFacets(facet_by, '').map((name) => ({ field: searchField(name) })),
    sort: parseSort(sort_by).map(({ field, descending }) => ({ field: sortField(field), descending })),
    valuesMax: 10,
    limit: 25,
    offset: 0,
  }
  const { text, values } = searchSql(question, shop, { hasPage: false, products })
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  // Nanoseconds that the scheduler gave the process.
  const spentMs = () => Number(readFileSync(`/proc/${rows[0].pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const times: number[] = []
  for (let i = 0; i < 15; i++) {
    const before = spentMs()
    await client.query(text, [storeId, ...values.slice(1)])
    times.push(spentMs() - before)
  }
  await client.end()
  return times
}

function at(times: readonly number[], part: number): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? 0).toFixed(1)
}
