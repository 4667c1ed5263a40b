import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../kernel/work/context.ts'
import type { FacetCounts } from '../indexes/index-fields.ts'
import { type EditionShop, priceUnit, type SearchedShop } from '../matching/field-values.ts'
import { type SearchField, searchField, sortField } from '../matching/search-fields.ts'
import type { FacetRequest, MatchRequest } from '../matching/search-sql.ts'
import { isForAll, parseQuery, type SearchedWord } from '../matching/searched-words.ts'
import { findPublishedRows, type PublishedRow } from '../shown/published-row.ts'
import { showProducts } from '../shown/show-products.ts'
import { codeOf } from '../sources/words.ts'
import { findMatches } from './find-matches.ts'
import { addTypos } from './find-typos.ts'
import { highlightProduct, highlightText } from './highlights.ts'
import type { Search, SearchWindow } from './read-searches.ts'
import { respell } from './respell.ts'

interface Facet {
  readonly field_name: string
  readonly counts: readonly { readonly value: string; readonly count: number; readonly highlighted: string }[]
  readonly stats: Readonly<Record<string, number>>
  readonly sampled: false
}

interface Hit {
  readonly document: { readonly id: string }
  readonly highlight: Readonly<Record<string, unknown>>
  readonly highlights: readonly object[]
}

export interface MatchPage {
  readonly found: number
  readonly facets: readonly Facet[]
  readonly hits: readonly Hit[]
  /** The published products of the hits. */
  readonly rows: readonly PublishedRow[]
}

/** Finds the products that match a search, best first, and counts the values of its facets. */
export async function runSearch(
  ctx: Ctx,
  shop: SearchedShop,
  search: Search,
  window: SearchWindow,
): Promise<MatchPage> {
  const { view } = shop
  const request: MatchRequest = {
    ...window,
    words: parseQuery(search.q, view.languages),
    code: codeOf(search.q),
    filter: search.filter,
    facets: search.facets.map((name) => toFacetRequest(name, search)),
    sort: search.sort.map(({ field, descending }) => ({ field: sortField(field), descending })),
    valuesMax: search.valuesMax,
  }
  if (!request.words.length && !isForAll(search.q)) return emptyResult(search)
  const { found, ids, facets, words } = await findAsMeant(ctx, shop, request)
  const rowsById = await findPublishedRows(ctx, view, ids)
  const rows = ids.flatMap((id) => rowsById.get(id) ?? [])
  const shown = rows.length ? await showProducts(ctx, view, rows) : []
  return {
    found,
    facets: facets.map((facet, i) =>
      toFacet(search.facets[i] as string, request.facets[i] as FacetRequest, facet, shop),
    ),
    hits: await toHits(shown, words, search.full),
    rows,
  }
}

/** Finds what the query says; if nothing, what it may also be spelled like; if nothing, what it may be a typo of. */
async function findAsMeant(ctx: Ctx, shop: SearchedShop, request: MatchRequest) {
  const { words } = request
  const findBy = async (words: readonly SearchedWord[]) => ({
    ...(await findMatches(ctx, shop, { ...request, words })),
    words,
  })
  const exact = await findBy(words)
  if (exact.found || !words.length) return exact
  const respelled = respell(words)
  const second = respelled ? await findBy(respelled) : exact
  if (second.found) return second
  const typos = await addTypos(ctx, shop, respelled ?? words)
  return typos ? findBy(typos) : exact
}

/** Long descriptions take some milliseconds each, so other requests have their turn after each product. */
export async function toHits(
  shown: readonly (Hit['document'] & { readonly attributes: Readonly<Record<string, unknown>> })[],
  words: readonly SearchedWord[],
  full: ReadonlySet<string>,
): Promise<readonly Hit[]> {
  const hits: Hit[] = []
  for (const document of shown) {
    hits.push({ document, ...highlightProduct(document.attributes, words, full) })
    await setImmediate()
  }
  return hits
}

/** The result of a query without words, only with signs. */
const emptyResult = ({ facets }: Search): MatchPage => ({
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

function toFacetRequest(name: string, { facetQuery }: Search): FacetRequest {
  const field = searchField(name)
  if (facetQuery?.field !== name || !facetQuery.text) return { field }
  const { text } = facetQuery
  return {
    field,
    beginning: { text, words: parseQuery(text).map((word) => ({ ...word, isOptional: false })) },
  }
}

function toFacet(
  field_name: string,
  { field, beginning }: FacetRequest,
  { values, min, max, sum, numbers, top }: FacetCounts,
  shop: EditionShop,
): Facet {
  const unit = findUnit(field, shop)
  const format = (value: string) => (unit === 1 ? value : String(Number(value) / unit))
  const mark = (value: string) => highlightText(value, beginning?.words ?? [], true)?.value ?? value
  return {
    field_name,
    counts: top.map(([stored, count]) => ({
      value: format(stored),
      count,
      highlighted: mark(format(stored)),
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

const findUnit = (field: SearchField, shop: EditionShop): number =>
  field.in === 'prices' ? 10 ** priceUnit(field, shop).scale : 1
