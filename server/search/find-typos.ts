import type { Ctx } from '../kernel/work/context.ts'
import { isDense } from '../publishing/index.ts'
import { bindsOf, type Shop } from './field-values.ts'
import type { SearchedWord } from './searched-words.ts'
import { isTypo, isTypoOfBeginning } from './typos.ts'

/** A word is taken for a typo of no more others. */
const meantMax = 10

/** The words with those that they may be typos of; undefined where they are typos of none. */
export async function withTypos(
  { store }: Ctx,
  shop: Shop,
  words: readonly SearchedWord[],
): Promise<readonly SearchedWord[] | undefined> {
  const { values } = bindsOf(shop)
  const asked = words.filter(({ word }) => !isDense(word)).map(({ word }) => word)
  const rows = await store.rows(
    `SELECT asked.word, near.word FROM unnest($3::text[]) asked (word)
     CROSS JOIN LATERAL words_like($1::uuid, $2::uuid, asked.word) near (word)`,
    values[1],
    asked,
  )
  const near = Map.groupBy(rows, ([word]) => word)
  const meant = words.map((one) => {
    const candidates = (near.get(one.word) ?? []).map(([, word]) => word as string)
    const typos = candidates.filter(
      (word) => isTypo(one.word, word) || (one.isPrefix && isTypoOfBeginning(one.word, word)),
    )
    return { ...one, typos: typos.slice(0, meantMax) }
  })
  return meant.some(({ typos }) => typos.length) ? meant : undefined
}
