import type { Ctx } from '../kernel/context.ts'
import { Memory } from '../kernel/memory.ts'
import { perInstance } from '../kernel/per-instance.ts'
import type { View } from '../storefront/index.ts'
import type { SearchField } from './search-fields.ts'
import { type Question, type Shop, searchSql } from './search-sql.ts'

/** A shop that is searched, as somebody sees it. */
export interface Searched extends Shop {
  readonly view: View
  /** How many products are in its list. */
  readonly products: number
}

/** The values of a field among the products that were found. */
export interface Counted {
  readonly values: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  /** Over how many products the sum is. */
  readonly numbers: number
  /** The most frequent. */
  readonly top: readonly (readonly [value: string, n: number])[]
}

export interface Asked {
  readonly found: number
  /** Of the page. */
  readonly ids: readonly string[]
  readonly facets: readonly Counted[]
}

/** What is counted of whole releases: nothing of a release changes. The first page of most shops is that. */
const countedOnce = perInstance(() => new Memory<string, Counted>(1000))

/** Longer ones are not remembered. */
const rememberedMax = 250

/** Asks a shop by one statement. */
export async function askShop(ctx: Ctx, shop: Searched, question: Question): Promise<Asked> {
  const memory = countedOnce(ctx.instance)
  const isWhole = !question.words.length && !question.filter
  const keyOf = (field: SearchField) =>
    JSON.stringify([shop.view.published.releaseId, question.valuesMax, field])
  const known = question.facets.map((field) => (isWhole ? memory.get(keyOf(field)) : undefined))
  const facets = question.facets.filter((_, i) => !known[i])
  const [row = []] = await ctx.store.page(searchSql({ ...question, facets }, shop))
  const [found, ids, ...counts] = row
  const counted = counts.map((facet) => JSON.parse(facet as string) as Counted)
  if (isWhole) {
    for (const [i, field] of facets.entries()) {
      const facet = counted[i] as Counted
      // Prices change with time.
      if (field.in !== 'prices' && facet.top.length <= rememberedMax) memory.set(keyOf(field), facet)
    }
  }
  return {
    found: found == null ? shop.products : Number(found),
    ids: JSON.parse(ids as string) as readonly string[],
    facets: known.map((facet) => facet ?? (counted.shift() as Counted)),
  }
}
