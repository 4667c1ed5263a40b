import { Memory } from '../../kernel/memory.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { FacetCounts } from '../indexes/index-fields.ts'
import { searchInMemory } from '../indexes/search-in-memory.ts'
import type { SearchedShop } from '../matching/field-values.ts'
import { isPrice, readsPrices } from '../matching/search-fields.ts'
import { type FacetRequest, type MatchRequest, searchSql } from '../matching/search-sql.ts'

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

/** Finds matches in the cache, and computes what it lacks. */
export async function findMatches(ctx: Ctx, shop: SearchedShop, request: MatchRequest): Promise<Matches> {
  const { words, code, filter, facets, valuesMax, sort, limit, offset } = request
  const known = memories(ctx.instance)
  const key = JSON.stringify([...toReleaseKey(shop), words, code, filter])
  const pageKey = key + JSON.stringify([sort, limit, offset])
  const facetKeys = facets.map((facet) => key + JSON.stringify([facet, valuesMax]))
  const matches = await complete(ctx, shop, request, {
    found: words.length || filter ? known.found.get(key) : shop.products,
    ids: known.ids.get(pageKey),
    facets: facetKeys.map((facetKey) => known.facets.get(facetKey)),
  })
  if (filter && readsPrices(filter)) return matches
  known.found.set(key, matches.found)
  if (!sort.some(isPrice) && matches.ids.length <= cachedMax) known.ids.set(pageKey, matches.ids)
  for (const [i, facet] of matches.facets.entries())
    if (!isPrice(facets[i] as FacetRequest) && facet.top.length <= cachedMax)
      known.facets.set(facetKeys[i] as string, facet)
  return matches
}

/** What is known of the matches of a search. */
interface KnownMatches {
  readonly found: number | undefined
  readonly ids: readonly string[] | undefined
  readonly facets: readonly (FacetCounts | undefined)[]
}

const isComplete = (known: KnownMatches): known is Matches =>
  known.found !== undefined && known.ids !== undefined && !known.facets.includes(undefined)

/** Computes what is not known: from an index in memory what that can say, and the rest by one statement. */
async function complete(
  ctx: Ctx,
  shop: SearchedShop,
  request: MatchRequest,
  cached: KnownMatches,
): Promise<Matches> {
  if (isComplete(cached)) return cached
  const indexed = await searchInMemory(ctx, shop, withoutKnown(request, cached), !cached.ids)
  const known = indexed.matches ? filledIn(cached, indexed.matches) : cached
  if (isComplete(known)) return known
  const { products } = shop
  const statement = searchSql(withoutKnown(request, known), shop, {
    ...{ found: known.found, hasPage: known.ids !== undefined, products },
  })
  const [row = []] = await ctx.store.page(statement).catch((error: unknown) => {
    // It may have taken too long.
    indexed.onFound(Number.POSITIVE_INFINITY)
    throw error
  })
  const [found, ids, ...facets] = row.map((value) => (value == null ? undefined : JSON.parse(value)))
  const matches = filledIn(known, { found, ids, facets }) as Matches
  indexed.onFound(matches.found)
  return matches
}

const withoutKnown = (request: MatchRequest, { facets }: KnownMatches): MatchRequest => ({
  ...request,
  facets: request.facets.filter((_, i) => !facets[i]),
})

/** `more` has the facets that `known` lacks. */
function filledIn(known: KnownMatches, more: KnownMatches): KnownMatches {
  const facets = [...more.facets]
  return {
    found: known.found ?? more.found,
    ids: known.ids ?? more.ids,
    facets: known.facets.map((facet) => facet ?? facets.shift()),
  }
}

/** What cached results depend on: the release, and the form in which its rows are written. */
export const toReleaseKey = ({ view: { published } }: SearchedShop): readonly unknown[] => [
  published.releaseId,
  published.searchForm,
]
