import type { Ctx } from '../kernel/context.ts'
import type { Searched } from './ask-shop.ts'
import { highlightOf } from './highlights.ts'
import type { Search } from './read-searches.ts'
import { type Found, searchedWords, type Window } from './run-search.ts'
import { bindsOf, matching, type SearchedWord } from './search-sql.ts'
import { withWholeValues } from './word-terms.ts'

/** More ways to go on are not told. */
const completionsMax = 250

/** The words that a query may go on with, each with how many products have it beside the words before. */
export async function autocomplete(ctx: Ctx, shop: Searched, search: Search, window: Window): Promise<Found> {
  const words = searchedWords(search.q)
  const before = words.slice(0, -1).map(({ word }) => word)
  const begun = words.at(-1)?.word ?? ''
  const isPlain = !before.length && !search.filter
  const rows = isPlain ? await mostUsed(ctx, shop, begun) : await usedBeside(ctx, shop, words, begun, search)
  const { limit, offset } = window
  const page = rows.slice(offset, offset + limit)
  return {
    found: rows.length,
    facets: [],
    hits: page.map(([word, count]) => {
      const q = [...before, word].join(' ')
      const marks = highlightOf(q, words)
      return {
        document: { id: q, q, count: Number(count) },
        highlight: marks ? { q: marks } : {},
        highlights: marks ? [{ field: 'q', ...marks }] : [],
      }
    }),
  }
}

/** In the order of the Unicode characters nothing that begins with a word is behind this. */
const last = '\u{10ffff}'

function mostUsed({ store }: Ctx, { catalogId }: Searched, begun: string) {
  return store.rows(
    `SELECT word, n FROM published_words
     WHERE store_id = $1 AND catalog_id = $2 AND word >= $3 AND word < $4 ORDER BY n DESC, word LIMIT ${completionsMax}`,
    catalogId,
    begun,
    begun + last,
  )
}

async function usedBeside(
  { store }: Ctx,
  shop: Searched,
  words: readonly SearchedWord[],
  begun: string,
  { filter }: Search,
) {
  const whole = filter && (await withWholeValues(store, filter, shop))
  const { values, bind } = bindsOf(shop)
  const found = matching({ words, filter: whole }, shop, bind)
  const text = `SELECT u.word, count(*) FROM (SELECT p.words FROM ${found}) p
    CROSS JOIN LATERAL unnest(tsvector_to_array(p.words)) u (word)
    WHERE starts_with(u.word, ${bind(begun)}) AND u.word <> ALL (${bind(words.slice(0, -1).map(({ word }) => word))}::text[])
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${completionsMax}`
  return store.page({ text, values, once: true })
}
