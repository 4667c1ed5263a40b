import type { Ctx } from '../../kernel/work/context.ts'
import { bindShop, type EditionShop } from '../matching/field-values.ts'
import type { SearchedWord } from '../matching/searched-words.ts'
import { isDense } from '../sources/words.ts'

/** How many typos a word may have. Short words resemble too many others. */
const typosOfWordMax = (word: string): number => (word.length < 4 ? 0 : word.length < 7 ? 1 : 2)

/** Whether one word may be a typo of the other: letters are missing, added, wrong or swapped. */
export function isTypo(written: string, meant: string): boolean {
  const most = typosOfWordMax(written)
  if (most === 0 || written === meant || Math.abs(written.length - meant.length) > most) return false
  return editDistance([...written], [...meant]) <= most
}

/** Whether a word may be a typo of the beginning of a longer word. */
function isTypoOfBeginning(written: string, meant: string): boolean {
  return meant.length > written.length && isTypo(written, meant.slice(0, written.length))
}

/** The optimal string alignment distance. */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= one.length; i++) {
    const above = rows[i - 1] as number[]
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const wrong = one[i - 1] === other[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + wrong,
        swapped ? ((rows[i - 2] as number[])[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(row)
  }
  return rows[one.length]?.[other.length] as number
}

/** How many words a typo may stand for. */
const typosShownMax = 10

/** Adds to each word the words that it may be a typo of. Returns undefined if there are none. */
export async function addTypos(
  { store }: Ctx,
  shop: EditionShop,
  words: readonly SearchedWord[],
): Promise<readonly SearchedWord[] | undefined> {
  const { values } = bindShop(shop)
  const plainWords = words.filter(({ word }) => !isDense(word)).map(({ word }) => word)
  const rows = await store.run(
    // Where the store is: its settings hold on the node that calls it.
    `SELECT typed.word, near.word FROM stores s CROSS JOIN unnest($3::text[]) typed (word)
     CROSS JOIN LATERAL words_like(s.id, $2::uuid, typed.word) near (word) WHERE s.id = $1`,
    values[1],
    plainWords,
  )
  const near = Map.groupBy(rows, ([word]) => word)
  const wordsWithTypos = words.map((one) => {
    const candidates = (near.get(one.word) ?? []).map(([, word]) => word as string)
    const typos = candidates.filter(
      (word) => isTypo(one.word, word) || (one.isPrefix && isTypoOfBeginning(one.word, word)),
    )
    return { ...one, typos: typos.slice(0, typosShownMax) }
  })
  return wordsWithTypos.some(({ typos }) => typos.length) ? wordsWithTypos : undefined
}
