import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../kernel/work/context.ts'
import { codeOf } from '../publishing/index.ts'
import { findPublishedRows, type PublishedRow, showProducts } from '../storefront/index.ts'
import type { Shop } from './field-values.ts'
import { type FacetCounts, findMatches, type SearchedShop } from './find-matches.ts'
import { withTypos } from './find-typos.ts'
import { highlightOf, highlightsOf } from './highlights.ts'
import type { Search } from './read-searches.ts'
import { type SearchField, searchField, sortField } from './search-fields.ts'
import type { FacetQuestion, Question } from './search-sql.ts'
import { isForAll, type SearchedWord, searchedWords } from './searched-words.ts'

/** Where the page of a search begins, and how long it is. */
export interface Window {
  readonly limit: number
  readonly offset: number
}

export interface Facet {
  readonly field_name: string
  readonly counts: readonly { readonly value: string; readonly count: number; readonly highlighted: string }[]
  readonly stats: Readonly<Record<string, number>>
  readonly sampled: false
}

export interface Hit {
  readonly document: { readonly id: string }
  readonly highlight: Readonly<Record<string, unknown>>
  readonly highlights: readonly object[]
}

export interface Found {
  readonly found: number
  readonly facets: readonly Facet[]
  readonly hits: readonly Hit[]
  /** The published products among the hits. */
  readonly rows: readonly PublishedRow[]
}

/** The products that match a search, the best first, and how many have which values. */
export async function runSearch(
  ctx: Ctx,
  shop: SearchedShop,
  search: Search,
  window: Window,
): Promise<Found> {
  const { view } = shop
  const question: Question = {
    ...window,
    words: searchedWords(search.q, view.languages),
    code: codeOf(search.q),
    filter: search.filter,
    facets: search.facets.map((name) => facetQuestion(name, search)),
    sort: search.sort.map(({ field, descending }) => ({ field: sortField(field), descending })),
    valuesMax: search.valuesMax,
  }
  if (!question.words.length && !isForAll(search.q)) return nothingFound(search)
  const exact = await findMatches(ctx, shop, question)
  const words = exact.found || !question.words.length ? undefined : await withTypos(ctx, shop, question.words)
  const { found, ids, facets } = words ? await findMatches(ctx, shop, { ...question, words }) : exact
  const known = await findPublishedRows(ctx, view, ids)
  const rows = ids.flatMap((id) => known.get(id) ?? [])
  const shown = rows.length ? await showProducts(ctx, view, rows) : []
  return {
    found,
    facets: facets.map((facet, i) =>
      facetOf(search.facets[i] as string, question.facets[i] as FacetQuestion, facet, shop),
    ),
    hits: await hitsOf(shown, words ?? question.words, search.full),
    rows,
  }
}

/** Long descriptions take a few milliseconds each: after each product others have their turn. */
export async function hitsOf(
  shown: readonly (Hit['document'] & { readonly attributes: Readonly<Record<string, unknown>> })[],
  words: readonly SearchedWord[],
  full: ReadonlySet<string>,
): Promise<readonly Hit[]> {
  const hits: Hit[] = []
  for (const document of shown) {
    hits.push({ document, ...highlightsOf(document.attributes, words, full) })
    await setImmediate()
  }
  return hits
}

/** A query of signs alone: no text has them as words. */
const nothingFound = ({ facets }: Search): Found => ({
  found: 0,
  facets: facets.map((field_name) => ({
    field_name,
    counts: [],
    stats: { total_values: 0 },
    sampled: false,
  })),
  hits: [],
  rows: [],
})

function facetQuestion(name: string, { facetQuery }: Search): FacetQuestion {
  const field = searchField(name)
  if (facetQuery?.field !== name || !facetQuery.text) return { field }
  const { text } = facetQuery
  return {
    field,
    begins: { text, words: searchedWords(text).map((word) => ({ ...word, isOptional: false })) },
  }
}

function facetOf(
  field_name: string,
  { field, begins }: FacetQuestion,
  { values, min, max, sum, numbers, top }: FacetCounts,
  { decimals }: Shop,
): Facet {
  const unit = unitOf(field, decimals)
  const shown = (value: string) => (unit === 1 ? value : String(Number(value) / unit))
  const marked = (value: string) => highlightOf(value, begins?.words ?? [], true)?.value ?? value
  return {
    field_name,
    counts: top.map(([stored, count]) => ({
      value: shown(stored),
      count,
      highlighted: marked(shown(stored)),
    })),
    stats: {
      ...(numbers && {
        min: (min as number) / unit,
        max: (max as number) / unit,
        avg: (sum as number) / numbers / unit,
        sum: (sum as number) / unit,
      }),
      total_values: values,
    },
    sampled: false,
  }
}

const unitOf = (field: SearchField, decimals: Shop['decimals']): number =>
  field.in === 'prices' && !field.whole ? 10 ** (decimals.get(field.currency) ?? 2) : 1
