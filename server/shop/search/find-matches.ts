import { Memory } from '../../kernel/memory.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { View } from '../view/view.ts'
import type { EditionShop } from './field-values.ts'
import type { SearchFilter } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import { type FacetRequest, type MatchRequest, searchSql } from './search-sql.ts'
import type { SortKey } from './sort-sql.ts'

/** The shop that is searched, as the shopper sees it. */
export interface SearchedShop extends EditionShop {
  readonly view: View
  /** How many products the shop has. */
  readonly products: number
}

/** The values of a field among the matches. */
export interface FacetCounts {
  readonly values: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  /** How many products have a number. */
  readonly numbers: number
  /** The most frequent values. */
  readonly top: readonly (readonly [value: string, n: number])[]
}

interface Matches {
  readonly found: number
  /** The products of the page. */
  readonly ids: readonly string[]
  readonly facets: readonly FacetCounts[]
}

/**
 * What is known of searches, by release, search and what was asked of it. In a release only prices change, and most
 * shoppers search for the same things: another page or order of a search counts nothing again.
 */
const memories = perInstance(() => ({
  found: new Memory<string, number>(1000),
  ids: new Memory<string, readonly string[]>(1000),
  facets: new Memory<string, FacetCounts>(facetBytesMax, {
    sizeOf: (key, { top }) => key.length + valueBytes * top.length,
  }),
}))

const facetBytesMax = 8 * 1024 * 1024
/** About as many as a value with its count has. */
const valueBytes = 60

/** Longer results are not cached. */
const cachedMax = 250

/** Finds matches in the cache, and what it lacks by one statement. */
export async function findMatches(ctx: Ctx, shop: SearchedShop, request: MatchRequest): Promise<Matches> {
  const { words, code, filter, facets, valuesMax, sort, limit, offset } = request
  const known = memories(ctx.instance)
  const key = JSON.stringify([...toReleaseKey(shop), words, code, filter])
  const pageKey = key + JSON.stringify([sort, limit, offset])
  const facetKeys = facets.map((facet) => key + JSON.stringify([facet, valuesMax]))
  const found = words.length || filter ? known.found.get(key) : shop.products
  const ids = known.ids.get(pageKey)
  const counts = facetKeys.map((facetKey) => known.facets.get(facetKey))
  const unknown = { ...request, facets: facets.filter((_, i) => !counts[i]) }
  if (found !== undefined && ids && !unknown.facets.length)
    return { found, ids, facets: counts as readonly FacetCounts[] }

  const { products } = shop
  const [row = []] = await ctx.store.page(searchSql(unknown, shop, { found, hasPage: !!ids, products }))
  const read = row.map((value) => (value == null ? undefined : (JSON.parse(value) as unknown)))
  const [foundNow, idsNow, ...countsNow] = read
  const matches = {
    found: found ?? (foundNow as number),
    ids: ids ?? (idsNow as readonly string[]),
    facets: counts.map((facet) => facet ?? (countsNow.shift() as FacetCounts)),
  }
  if (filter && readsPrices(filter)) return matches
  known.found.set(key, matches.found)
  if (!sort.some(isPrice) && matches.ids.length <= cachedMax) known.ids.set(pageKey, matches.ids)
  for (const [i, facet] of matches.facets.entries())
    if (!isPrice(facets[i] as FacetRequest) && facet.top.length <= cachedMax)
      known.facets.set(facetKeys[i] as string, facet)
  return matches
}

/** Prices change with time, and differ by shopper. */
const isPrice = ({ field }: Pick<FacetRequest, 'field'> | SortKey): boolean => field.in === 'prices'

export const readsPrices = (filter: SearchFilter): boolean =>
  filter.is === 'term' ? searchField(filter.field).in === 'prices' : filter.of.some(readsPrices)

/** What cached results depend on: the release, and the form in which its rows are written. */
export const toReleaseKey = ({ view: { published } }: SearchedShop): readonly unknown[] => [
  published.releaseId,
  published.searchForm,
]
