import { Memory } from '../../kernel/memory.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { View } from '../view/view.ts'
import type { EditionShop } from './field-values.ts'
import type { SearchFilter } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import { type FacetRequest, type MatchRequest, searchSql } from './search-sql.ts'

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

/** Matches by request. In a release only prices change, and most shoppers search for the same things. */
const matchCache = perInstance(() => new Memory<string, Matches>(1000))

/** Facets of whole releases, for any page. The first page of most shops has these. */
const facetCache = perInstance(() => new Memory<string, FacetCounts>(1000))

/** Longer results are not cached. */
const cachedMax = 250

const isShort = ({ ids, facets }: Matches): boolean =>
  facets.reduce((length, { top }) => length + top.length, ids.length) <= cachedMax

/** Finds matches in the cache, or by one statement. */
export async function findMatches(ctx: Ctx, shop: SearchedShop, request: MatchRequest): Promise<Matches> {
  if (changesWithTime(request)) return readMatches(ctx, shop, request)
  const memory = matchCache(ctx.instance)
  const key = JSON.stringify([...toReleaseKey(shop), request])
  const cached = memory.get(key)
  if (cached) return cached
  const matches = await readMatches(ctx, shop, request)
  if (isShort(matches)) memory.set(key, matches)
  return matches
}

/** What cached results depend on: the release, and the form in which its rows are written. */
export const toReleaseKey = ({ view: { published } }: SearchedShop): readonly unknown[] => [
  published.releaseId,
  published.searchForm,
]

/** Prices change with time, and differ by shopper. */
const changesWithTime = ({ facets, filter, sort }: MatchRequest): boolean =>
  [...facets, ...sort].some(({ field }) => field.in === 'prices') ||
  (filter !== undefined && readsPrices(filter))

export const readsPrices = (filter: SearchFilter): boolean =>
  filter.is === 'term' ? searchField(filter.field).in === 'prices' : filter.of.some(readsPrices)

async function readMatches(ctx: Ctx, shop: SearchedShop, request: MatchRequest): Promise<Matches> {
  const memory = facetCache(ctx.instance)
  const isWhole = !request.words.length && !request.filter
  const toKey = (facet: FacetRequest) => JSON.stringify([...toReleaseKey(shop), request.valuesMax, facet])
  const cached = request.facets.map((facet) => (isWhole ? memory.get(toKey(facet)) : undefined))
  const facets = request.facets.filter((_, i) => !cached[i])
  const [row = []] = await ctx.store.page(searchSql({ ...request, facets }, shop))
  const [found, ids, ...counts] = row
  const counted = counts.map((facet) => JSON.parse(facet as string) as FacetCounts)
  if (isWhole) {
    for (const [i, facetRequest] of facets.entries()) {
      const facet = counted[i] as FacetCounts
      // Prices change with time.
      if (facetRequest.field.in !== 'prices' && facet.top.length <= cachedMax)
        memory.set(toKey(facetRequest), facet)
    }
  }
  return {
    found: found == null ? shop.products : Number(found),
    ids: JSON.parse(ids as string) as readonly string[],
    facets: cached.map((facet) => facet ?? (counted.shift() as FacetCounts)),
  }
}
