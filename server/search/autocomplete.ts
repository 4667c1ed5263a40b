import { Memory } from '../kernel/memory.ts'
import { inEdition } from '../kernel/storage/editions.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import { codeOf, folded } from '../publishing/index.ts'
import { findPublishedRows, nameIn } from '../storefront/index.ts'
import { bindsOf } from './field-values.ts'
import { readsPrices, type SearchedShop, stateOf } from './find-matches.ts'
import { withTypos } from './find-typos.ts'
import { highlightOf } from './highlights.ts'
import type { Search } from './read-searches.ts'
import type { Found, Window } from './run-search.ts'
import { matching } from './search-sql.ts'
import { isForAll, queryOf, type SearchedWord, searchedWords } from './searched-words.ts'

/** No more suggestions are made for a query. */
const suggestionsMax = 100

/** A name or a SKU as the merchant writes it. */
interface Suggestion {
  readonly text: string
  /** How many of the products that match have it. */
  readonly count: number
  /** One of these, where it is a name: it may have another in the shopper's language. */
  readonly productId: string | undefined
}

/** The suggestions of a release, which does not change, for a query. */
const remembered = perInstance(() => new Memory<string, readonly Suggestion[]>(1000))

/** The names and SKUs that a shopper may be typing: those that begin so first, then those of the most products. */
export async function autocomplete(
  ctx: Ctx,
  shop: SearchedShop,
  search: Search,
  window: Window,
): Promise<Found> {
  const none: Found = { found: 0, facets: [], hits: [], rows: [] }
  const words = searchedWords(search.q, shop.view.languages)
  if (!words.length && !isForAll(search.q)) return none
  let asked = words
  let found = await suggestionsFor(ctx, shop, search, words)
  if (!found.length && words.length) {
    const typos = await withTypos(ctx, shop, words)
    if (!typos) return none
    asked = typos
    found = await suggestionsFor(ctx, shop, search, typos)
  }
  const page = found.slice(window.offset, window.offset + window.limit)
  const texts = await inLanguage(ctx, shop, page)
  return {
    ...none,
    found: found.length,
    hits: page.map(({ count }, i) => {
      const q = texts[i] as string
      const marks = highlightOf(q, asked)
      return {
        document: { id: q, q, count },
        highlight: marks ? { q: marks } : {},
        highlights: marks ? [{ field: 'q', ...marks }] : [],
      }
    }),
  }
}

async function suggestionsFor(
  ctx: Ctx,
  shop: SearchedShop,
  { q, filter }: Search,
  words: readonly SearchedWord[],
): Promise<readonly Suggestion[]> {
  const changesWithTime = filter !== undefined && readsPrices(filter)
  const key = JSON.stringify([...stateOf(shop), q, words, filter])
  const memory = remembered(ctx.instance)
  const known = changesWithTime ? undefined : memory.get(key)
  if (known) return known
  const found = await readSuggestions(ctx, shop, { q, filter }, words)
  if (!changesWithTime) memory.set(key, found)
  return found
}

/** Products are found by a word in their names and one in their SKUs: by each of these what has it is suggested. */
async function readSuggestions(
  { store }: Ctx,
  shop: SearchedShop,
  { q, filter }: Pick<Search, 'q' | 'filter'>,
  words: readonly SearchedWord[],
): Promise<readonly Suggestion[]> {
  const { values, bind } = bindsOf(shop)
  const found = matching({ words, filter }, shop, bind)
  const begins = bind(q.trim().toLowerCase())
  const hasIn = (weight: string) =>
    words.length ? `p.words @@ ${bind(queryOf(words, weight))}::tsquery` : weight === 'A' ? 'true' : 'false'
  const code = codeOf(q)
  const hasCode = code ? ` OR starts_with(p.codes[1], ${bind(code)})` : ''
  const suggested = (text: string, kind: number, where: string) =>
    `SELECT ${text} AS text, ${kind} AS kind, count(*) AS n, min(v.id::text) AS id FROM found p
     JOIN published_products v ON v.store_id = $1 AND v.catalog_id = $2 AND v.id = p.id
       AND ${inEdition('$3::int', 'v')}
     WHERE ${text} <> '' AND ${where} GROUP BY 1`
  const text = `WITH found AS MATERIALIZED (
      SELECT p.id, ${hasIn('A')} AS in_name, ${hasIn('B')}${hasCode} AS in_sku FROM ${found})
    SELECT text, n, CASE kind WHEN 0 THEN id END FROM (
      ${suggested('v.name', 0, 'p.in_name')} UNION ALL ${suggested('v.sku', 1, 'p.in_sku')}
    ) s
    ORDER BY starts_with(lower(text), ${begins}) DESC, n DESC, kind, length(text), text LIMIT ${suggestionsMax}`
  const rows = await store.page({ text, values, once: true })
  const suggestions = new Map<string, Suggestion>()
  for (const [text, count, id] of rows) {
    const key = folded(text as string)
    if (suggestions.has(key)) continue
    suggestions.set(key, { text: text as string, count: Number(count), productId: id ?? undefined })
  }
  return [...suggestions.values()]
}

/** The texts of suggestions, names in the shopper's language where they have one in it. */
async function inLanguage(
  ctx: Ctx,
  { view }: SearchedShop,
  suggestions: readonly Suggestion[],
): Promise<readonly string[]> {
  if (!view.languages.length) return suggestions.map(({ text }) => text)
  const ids = suggestions.flatMap(({ productId }) => productId ?? [])
  const rows = await findPublishedRows(ctx, view, ids)
  return suggestions.map(({ text, productId }) => {
    const row = productId === undefined ? undefined : rows.get(productId)
    return (row && nameIn(view.languages, row.facts.locales)) ?? text
  })
}
