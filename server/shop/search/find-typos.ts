import type { Ctx } from '../../kernel/work/context.ts'
import { isDense } from '../sources/words.ts'
import { bindShop, type Shop } from './field-values.ts'
import type { SearchedWord } from './searched-words.ts'
import { isTypo, isTypoOfBeginning } from './typos.ts'

/** How many words a typo may stand for. */
const typosMax = 10

/** Adds to each word the words that it may be a typo of. Returns undefined if there are none. */
export async function addTypos(
  { store }: Ctx,
  shop: Shop,
  words: readonly SearchedWord[],
): Promise<readonly SearchedWord[] | undefined> {
  const { values } = bindShop(shop)
  const plainWords = words.filter(({ word }) => !isDense(word)).map(({ word }) => word)
  const rows = await store.run(
    `SELECT typed.word, near.word FROM unnest($3::text[]) typed (word)
     CROSS JOIN LATERAL words_like($1::uuid, $2::uuid, typed.word) near (word)`,
    values[1],
    plainWords,
  )
  const near = Map.groupBy(rows, ([word]) => word)
  const wordsWithTypos = words.map((one) => {
    const candidates = (near.get(one.word) ?? []).map(([, word]) => word as string)
    const typos = candidates.filter(
      (word) => isTypo(one.word, word) || (one.isPrefix && isTypoOfBeginning(one.word, word)),
    )
    return { ...one, typos: typos.slice(0, typosMax) }
  })
  return wordsWithTypos.some(({ typos }) => typos.length) ? wordsWithTypos : undefined
}
