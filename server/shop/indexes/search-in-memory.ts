import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../kernel/work/context.ts'
import { priceUnit, type SearchedShop } from '../matching/field-values.ts'
import { meetsOperands, toAmounts } from '../matching/filter-sql.ts'
import type { SearchFilter, Term } from '../matching/filter-syntax.ts'
import { isPrice, pricesRead, searchField } from '../matching/search-fields.ts'
import type { FacetRequest, MatchRequest } from '../matching/search-sql.ts'
import type { SortKey } from '../matching/sort-sql.ts'
import { countValues, type FacetCounts, type FieldColumn, withValues } from './index-fields.ts'
import { pageOf, type Ranks } from './index-orders.ts'
import { type QueryConditions, queryConditions, type SetCondition, termCondition } from './index-sets.ts'
import { OpenIndex } from './open-index.ts'
import { PositionSet } from './position-set.ts'
import { type MissingPiece, searchIndexes } from './search-indexes.ts'

/** What memory says of a search. */
interface IndexedSearch {
  /** Undefined if PostgreSQL has to search. */
  readonly matches?: {
    readonly found: number
    readonly ids: readonly string[] | undefined
    /** Undefined for those that PostgreSQL has to count. */
    readonly facets: readonly (FacetCounts | undefined)[]
  }
  /** Called with what PostgreSQL has found: for a search of many products, what was missing is read later. */
  readonly onFound: (found: number) => void
}

/**
 * Searches the index in memory of a large catalog. What goes through a million products takes some milliseconds, so
 * other requests have their turn after it.
 */
export async function searchInMemory(
  { store, instance }: Ctx,
  shop: SearchedShop,
  request: MatchRequest,
  needsPage: boolean,
): Promise<IndexedSearch> {
  const indexes = searchIndexes(instance)
  const { filter } = request
  if (!indexes.isFor(shop)) return { onFound: () => {} }
  const missing: MissingPiece[] = []
  const onFound = (found: number) => {
    if (found >= indexes.foundMin) for (const piece of missing) indexes.readLater(store.id, piece)
  }
  const index = await indexes.indexOf(store, shop, missing)
  if (!index) return { onFound }
  const open = new OpenIndex(indexes, store, { shop, index }, missing)
  const currencies = filter ? pricesRead(filter).map((field) => priceUnit(field, shop).currency) : []
  if (!currencies.every((currency) => open.holdsPrices(currency))) return { onFound }
  const inFilter = filter ? await meeting(open, filter, index.live) : index.live
  const columns: (FieldColumn | undefined)[] = []
  for (const facet of request.facets) columns.push(await facetColumn(open, facet))
  const sort = needsPage ? orderKeys(request) : undefined
  const order = sort && open.orderOf(sort.keys)
  const query = await readQuery(open, queryConditions(request))
  if (missing.length) return { onFound }

  const matches = matchesOf(query, index.live).and(inFilter)
  const page =
    order && pageOf(matches, sort.isByRank ? { positions: order.positions } : order, ranksOf(query), request)
  const facets: (FacetCounts | undefined)[] = []
  for (const column of columns) {
    facets.push(column && countValues(column, matches, index.live, request.valuesMax))
    await setImmediate()
  }
  const ids = page?.map((position) => index.ids.idAt(position))
  return { matches: { found: matches.count, ids, facets }, onFound }
}

/** Undefined for what PostgreSQL has to count, or is missing. */
async function facetColumn(
  open: OpenIndex,
  { field, beginning }: FacetRequest,
): Promise<FieldColumn | undefined> {
  if (beginning) return undefined
  if (field.in === 'values') return open.columnOf(field.name)
  if (field.in !== 'prices') return undefined
  const { currency } = priceUnit(field, open.shop)
  return open.holdsPrices(currency) ? open.pricesIn(currency) : undefined
}

/** The sets of the conditions of a query. */
type QuerySets = {
  readonly [name in keyof QueryConditions]: readonly PositionSet[]
}

async function readQuery(open: OpenIndex, query: QueryConditions): Promise<QuerySets> {
  const read = async (conditions: readonly SetCondition[]) => {
    const sets: PositionSet[] = []
    for (const condition of conditions) sets.push(await open.setOf(condition))
    return sets
  }
  const { words, codes, inName, exactCodes } = query
  return {
    words: await read(words),
    codes: await read(codes),
    inName: await read(inName),
    exactCodes: await read(exactCodes),
  }
}

const matchesOf = ({ words, codes }: QuerySets, live: PositionSet): PositionSet =>
  codes.reduce(
    (matches, code) => matches.or(live.and(code)),
    words.reduce((matches, word) => matches.and(word), live),
  )

/** The positions that meet a filter; also some that are not live. */
async function meeting(open: OpenIndex, filter: SearchFilter, live: PositionSet): Promise<PositionSet> {
  if (filter.is === 'term') {
    const set = await termSet(open, filter)
    return filter.not ? live.without(set) : set
  }
  let sum: PositionSet | undefined
  for (const part of filter.of) {
    const set = await meeting(open, part, live)
    sum = sum ? (filter.is === 'all' ? sum.and(set) : sum.or(set)) : set
  }
  return sum ?? live
}

/** Whole values and numbers are looked for in the column of their field, so that any of them is found at once. */
async function termSet(open: OpenIndex, term: Term): Promise<PositionSet> {
  const field = searchField(term.field)
  if (field.in === 'prices') {
    const { currency, scale } = priceUnit(field, open.shop)
    const prices = open.pricesIn(currency)
    return prices ? withValues(prices, meetsOperands(toAmounts(term.operands, scale))) : PositionSet.empty(0)
  }
  const isWhole = term.how === 'whole' || !term.operands.some(({ is }) => is === 'text')
  if (field.in !== 'values' || !isWhole || !open.holds(field.name)) return open.setOf(termCondition(term))
  const column = await open.columnOf(field.name)
  await setImmediate()
  return column ? withValues(column, meetsOperands(term.operands)) : PositionSet.empty(0)
}

/**
 * The keys that a page is sorted by besides rank, which comes after or before all of them. Undefined if PostgreSQL has
 * to sort.
 */
function orderKeys({
  sort,
  words,
}: MatchRequest): { readonly keys: readonly SortKey[]; readonly isByRank: boolean } | undefined {
  const isRank = ({ field }: SortKey) => field.in === 'rank'
  const keys = sort.filter((key) => !isRank(key))
  if (keys.some(isPrice)) return undefined
  if (!words.length || keys.length === sort.length) return { keys, isByRank: false }
  const [first] = sort as [SortKey]
  return isRank(first) && first.descending && keys.length === sort.length - 1
    ? { keys, isByRank: true }
    : undefined
}

/** Exact codes come first, then matches with more of the words in their names. */
function ranksOf({ inName, exactCodes }: QuerySets): Ranks {
  const perCode = inName.length + 1
  return {
    highest: inName.length + perCode * exactCodes.length,
    of: (position) => {
      let rank = 0
      for (const set of exactCodes) if (set.has(position)) rank += perCode
      for (const set of inName) if (set.has(position)) rank += 1
      return rank
    },
  }
}
