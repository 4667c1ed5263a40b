import type { Ctx } from '../kernel/context.ts'
import { codeOf, wordsOf } from '../publishing/index.ts'
import { findPublishedRows, type ShownProduct, showProducts, type View } from '../storefront/index.ts'
import { askShop, type Counted, type Searched } from './ask-shop.ts'
import { highlightsOf } from './highlights.ts'
import type { Search } from './read-searches.ts'
import { type SearchField, searchField } from './search-fields.ts'
import { bindsOf, type Question, type SearchedWord, type Shop } from './search-sql.ts'
import { isSlip } from './slips.ts'
import { withWholeValues } from './word-terms.ts'

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

export interface Found {
  readonly found: number
  readonly facets: readonly Facet[]
  readonly hits: readonly object[]
}

/** More words of a query are not looked at. */
const wordsMax = 20

/** The words of a query; the last may be the beginning of one. `*` asks for nothing in particular. */
export function searchedWords(q: string): readonly SearchedWord[] {
  const words = wordsOf(q).slice(0, wordsMax)
  return words.map((word, i) => ({ word, isPrefix: i === words.length - 1, slips: [] }))
}

/** The products that have all that is asked for, the best first, and how many have which values. */
export async function runSearch(ctx: Ctx, shop: Searched, search: Search, window: Window): Promise<Found> {
  const question: Question = {
    ...window,
    words: searchedWords(search.q),
    code: codeOf(search.q),
    filter: search.filter && (await withWholeValues(ctx.store, search.filter, shop)),
    facets: search.facets.map(searchField),
    valuesMax: search.valuesMax,
  }
  const exact = await askShop(ctx, shop, question)
  const words = exact.found || !question.words.length ? undefined : await withSlips(ctx, shop, question.words)
  const { found, ids, facets } = words ? await askShop(ctx, shop, { ...question, words }) : exact
  const shown = await shownProducts(ctx, shop.view, ids)
  return {
    found,
    facets: facets.map((facet, i) =>
      facetOf(search.facets[i] as string, question.facets[i] as SearchField, facet, shop),
    ),
    hits: shown.map((document) => ({
      document,
      ...highlightsOf(document.attributes, words ?? question.words, search.full),
    })),
  }
}

/** More words that one may be a slip of are not searched. */
const slipsMax = 10

/** With what the words may be slips of; undefined where they are none of anything. */
async function withSlips(
  { store }: Ctx,
  shop: Shop,
  words: readonly SearchedWord[],
): Promise<readonly SearchedWord[] | undefined> {
  const { values } = bindsOf(shop)
  const rows = await store.rows(
    `SELECT asked.word, near.word FROM unnest($3::text[]) asked (word)
     CROSS JOIN LATERAL words_like($1::uuid, $2::uuid, asked.word) near (word)`,
    values[1],
    words.map(({ word }) => word),
  )
  const meant = words.map((one) => {
    const near = rows.flatMap(([asked, word]) =>
      asked === one.word && isSlip(one.word, word as string) ? word : [],
    )
    return { ...one, slips: (near as string[]).slice(0, slipsMax) }
  })
  return meant.some(({ slips }) => slips.length) ? meant : undefined
}

async function shownProducts(ctx: Ctx, view: View, ids: readonly string[]): Promise<readonly ShownProduct[]> {
  if (!ids.length) return []
  const rows = await findPublishedRows(ctx, view, ids)
  return showProducts(
    ctx,
    view,
    ids.flatMap((id) => rows.get(id) ?? []),
  )
}

function facetOf(
  field_name: string,
  field: SearchField,
  { values, min, max, sum, numbers, top }: Counted,
  { decimals }: Shop,
): Facet {
  const unit = field.in === 'prices' && !field.whole ? 10 ** (decimals.get(field.currency) ?? 2) : 1
  const shown = (value: string) => (unit === 1 ? value : String(Number(value) / unit))
  return {
    field_name,
    counts: top.map(([stored, count]) => ({ value: shown(stored), count, highlighted: shown(stored) })),
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
