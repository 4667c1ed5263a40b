import { Memory } from '../kernel/memory.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import type { View } from '../storefront/index.ts'
import type { Shop } from './field-values.ts'
import type { Filter } from './filter-syntax.ts'
import { searchField } from './search-fields.ts'
import { type FacetQuestion, type Question, searchSql } from './search-sql.ts'

/** A shop that is searched, as somebody sees it. */
export interface SearchedShop extends Shop {
  readonly view: View
  /** How many products are in its list. */
  readonly products: number
}

/** The values of a field among the products that were found. */
export interface FacetCounts {
  readonly values: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  /** Over how many products the sum is. */
  readonly numbers: number
  /** The most frequent. */
  readonly top: readonly (readonly [value: string, n: number])[]
}

export interface Matches {
  readonly found: number
  /** Of the page. */
  readonly ids: readonly string[]
  readonly facets: readonly FacetCounts[]
}

/** Results by question: nothing of a release changes but prices, and most shoppers look at the same shelves. */
const rememberedMatches = perInstance(() => new Memory<string, Matches>(1000))

/** What is counted of whole releases, on whichever page. The first page of most shops is that. */
const rememberedCounts = perInstance(() => new Memory<string, FacetCounts>(1000))

/** Longer ones are not remembered. */
const rememberedMax = 250

const isShort = ({ ids, facets }: Matches): boolean =>
  facets.reduce((length, { top }) => length + top.length, ids.length) <= rememberedMax

/** Asks a shop by one statement, or remembers what it said. */
export async function findMatches(ctx: Ctx, shop: SearchedShop, question: Question): Promise<Matches> {
  if (changesWithTime(question)) return readMatches(ctx, shop, question)
  const memory = rememberedMatches(ctx.instance)
  const key = JSON.stringify([...stateOf(shop), question])
  const known = memory.get(key)
  if (known) return known
  const asked = await readMatches(ctx, shop, question)
  if (isShort(asked)) memory.set(key, asked)
  return asked
}

/** What a search goes by that does not change: a release, in the form in which its rows are written. */
export const stateOf = ({ view: { published } }: SearchedShop): readonly unknown[] => [
  published.releaseId,
  published.searchForm,
]

/** Prices do; and each shopper has their own. */
const changesWithTime = ({ facets, filter, sort }: Question): boolean =>
  [...facets, ...sort].some(({ field }) => field.in === 'prices') ||
  (filter !== undefined && readsPrices(filter))

export const readsPrices = (filter: Filter): boolean =>
  filter.is === 'term' ? searchField(filter.field).in === 'prices' : filter.of.some(readsPrices)

async function readMatches(ctx: Ctx, shop: SearchedShop, question: Question): Promise<Matches> {
  const memory = rememberedCounts(ctx.instance)
  const isWhole = !question.words.length && !question.filter
  const keyOf = (facet: FacetQuestion) => JSON.stringify([...stateOf(shop), question.valuesMax, facet])
  const known = question.facets.map((facet) => (isWhole ? memory.get(keyOf(facet)) : undefined))
  const facets = question.facets.filter((_, i) => !known[i])
  const [row = []] = await ctx.store.page(searchSql({ ...question, facets }, shop))
  const [found, ids, ...counts] = row
  const counted = counts.map((facet) => JSON.parse(facet as string) as FacetCounts)
  if (isWhole) {
    for (const [i, asked] of facets.entries()) {
      const facet = counted[i] as FacetCounts
      // Prices change with time.
      if (asked.field.in !== 'prices' && facet.top.length <= rememberedMax) memory.set(keyOf(asked), facet)
    }
  }
  return {
    found: found == null ? shop.products : Number(found),
    ids: JSON.parse(ids as string) as readonly string[],
    facets: known.map((facet) => facet ?? (counted.shift() as FacetCounts)),
  }
}
