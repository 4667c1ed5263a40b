import { Memory } from '../../kernel/memory.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { bindShop, type SearchedShop } from '../matching/field-values.ts'
import { readsPrices } from '../matching/search-fields.ts'
import { matchesSql } from '../matching/search-sql.ts'
import { isForAll, parseQuery, type SearchedWord, toTsQuery } from '../matching/searched-words.ts'
import { findPublishedRows } from '../shown/published-row.ts'
import { codeOf, foldText } from '../sources/words.ts'
import { nameIn } from '../view/languages.ts'
import { toReleaseKey } from './find-matches.ts'
import { addTypos } from './find-typos.ts'
import { highlightText } from './highlights.ts'
import type { Search, SearchWindow } from './read-searches.ts'
import { respell } from './respell.ts'
import type { MatchPage } from './run-search.ts'

/** How many suggestions a query has, at most. */
const suggestionsMax = 100

/** A name or a SKU, as the merchant writes it. */
interface Completion {
  readonly text: string
  /** How many matching products have it. */
  readonly count: number
  /** One of these products if the text is a name, which may be translated. */
  readonly productId: string | undefined
}

/** Suggestions by release and query. A release does not change. */
const suggestionCache = perInstance(() => new Memory<string, readonly Completion[]>(1000))

/** Suggests names and SKUs: first those that begin with the query, then those of most products. */
export async function autocomplete(
  ctx: Ctx,
  shop: SearchedShop,
  search: Search,
  window: SearchWindow,
): Promise<MatchPage> {
  const none: MatchPage = { found: 0, facets: [], hits: [], rows: [] }
  const words = parseQuery(search.q, shop.view.languages)
  if (!words.length && !isForAll(search.q)) return none
  let searchedFor = words
  let suggestions = await findSuggestions(ctx, shop, search, words)
  const respelled = suggestions.length ? undefined : respell(words)
  if (respelled) {
    searchedFor = respelled
    suggestions = await findSuggestions(ctx, shop, search, respelled)
  }
  if (!suggestions.length && words.length) {
    const typos = await addTypos(ctx, shop, searchedFor)
    if (!typos) return none
    searchedFor = typos
    suggestions = await findSuggestions(ctx, shop, search, typos)
  }
  const page = suggestions.slice(window.offset, window.offset + window.limit)
  const texts = await translateNames(ctx, shop, page)
  return {
    ...none,
    found: suggestions.length,
    hits: page.map(({ count }, i) => {
      const q = texts[i] as string
      const marks = highlightText(q, searchedFor)
      return {
        document: { id: q, q, count },
        highlight: marks ? { q: marks } : {},
        highlights: marks ? [{ field: 'q', ...marks }] : [],
      }
    }),
  }
}

async function findSuggestions(
  ctx: Ctx,
  shop: SearchedShop,
  { q, filter }: Search,
  words: readonly SearchedWord[],
): Promise<readonly Completion[]> {
  const changesWithTime = filter !== undefined && readsPrices(filter)
  const key = JSON.stringify([...toReleaseKey(shop), q, words, filter])
  const memory = suggestionCache(ctx.instance)
  const cached = changesWithTime ? undefined : memory.get(key)
  if (cached) return cached
  const suggestions = await readSuggestions(ctx, shop, { q, filter }, words)
  if (!changesWithTime) memory.set(key, suggestions)
  return suggestions
}

/** Suggests the names of products that match by name, and the SKUs of products that match by SKU. */
async function readSuggestions(
  { store }: Ctx,
  shop: SearchedShop,
  { q, filter }: Pick<Search, 'q' | 'filter'>,
  words: readonly SearchedWord[],
): Promise<readonly Completion[]> {
  const { values, bind } = bindShop(shop)
  const matches = matchesSql({ words, filter }, shop, bind)
  const begins = bind(q.trim().toLowerCase())
  const hasIn = (weight: string) =>
    words.length ? `p.words @@ ${bind(toTsQuery(words, weight))}::tsquery` : weight === 'A' ? 'true' : 'false'
  const code = codeOf(q)
  const hasCode = code ? ` OR starts_with(p.codes[1], ${bind(code)})` : ''
  const suggestionsSql = (text: string, kind: number, where: string) =>
    `SELECT ${text} AS text, ${kind} AS kind, count(*) AS n, min(v.id::text) AS id FROM matches p
     JOIN published_products v ON v.store_id = $1 AND v.catalog_id = $2 AND v.id = p.id
       AND ${inEdition('$3::int', 'v')}
     WHERE ${text} <> '' AND ${where} GROUP BY 1`
  const text = `WITH matches AS MATERIALIZED (
      SELECT p.id, ${hasIn('A')} AS in_name, ${hasIn('B')}${hasCode} AS in_sku FROM ${matches})
    SELECT text, n, CASE kind WHEN 0 THEN id END FROM (
      ${suggestionsSql('v.name', 0, 'p.in_name')} UNION ALL ${suggestionsSql('v.sku', 1, 'p.in_sku')}
    ) s
    ORDER BY starts_with(lower(text), ${begins}) DESC, n DESC, kind, length(text), text LIMIT ${suggestionsMax}`
  const rows = await store.page({ text, values, once: true })
  const suggestions = new Map<string, Completion>()
  for (const [text, count, id] of rows) {
    const key = foldText(text as string)
    if (suggestions.has(key)) continue
    suggestions.set(key, { text: text as string, count: Number(count), productId: id ?? undefined })
  }
  return [...suggestions.values()]
}

/** The texts of suggestions. Names are in the shopper's language if they are translated. */
async function translateNames(
  ctx: Ctx,
  { view }: SearchedShop,
  suggestions: readonly Completion[],
): Promise<readonly string[]> {
  if (!view.languages.length) return suggestions.map(({ text }) => text)
  const ids = suggestions.flatMap(({ productId }) => productId ?? [])
  const rows = await findPublishedRows(ctx, view, ids)
  return suggestions.map(({ text, productId }) => {
    const row = productId === undefined ? undefined : rows.get(productId)
    return (row && nameIn(view.languages, row.facts.locales)) ?? text
  })
}
