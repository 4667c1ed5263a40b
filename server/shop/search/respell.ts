import type { SearchedWord, Spelling } from '../matching/searched-words.ts'
import { isDense, partsOfDense } from '../sources/words.ts'

/**
 * Words with other spellings, for a query that finds nothing as it is written: `256 GB` and `256gb`, `iphone15` and
 * `iphone 15`, `battery` and `batteries`, hiragana and katakana. Undefined if no word has another spelling.
 */
export function respell(words: readonly SearchedWord[]): readonly SearchedWord[] | undefined {
  const respelled = words.map((word, i) => {
    const spellings = isDense(word.word)
      ? spellingsOfDense(word.word)
      : [
          ...joinedWith(words[i - 1], word),
          ...joinedWith(word, words[i + 1]),
          ...splitAtDigits(word),
          ...numbersOf(word),
        ]
    return { ...word, spellings }
  })
  return respelled.some(({ spellings }) => spellings.length) ? respelled : undefined
}

/** As long as words are stored. */
const lengthMax = 64

/** Neighbours as one word: both are found by it. */
function joinedWith(first: SearchedWord | undefined, second: SearchedWord | undefined): readonly Spelling[] {
  if (!first || !second || isDense(first.word) || isDense(second.word)) return []
  const joined = first.word + second.word
  return joined.length > lengthMax ? [] : [{ parts: [joined], isPrefix: second.isPrefix }]
}

function splitAtDigits({ word, isPrefix }: SearchedWord): readonly Spelling[] {
  const parts = word.match(/\p{N}+|[^\p{N}]+/gu) ?? []
  return parts.length > 1 ? [{ parts, isPrefix }] : []
}

/** The singular of a plural in -ies, and the other way round. Typos find other plurals. */
function numbersOf({ word }: SearchedWord): readonly Spelling[] {
  const other = /.{2}ies$/.test(word)
    ? `${word.slice(0, -3)}y`
    : /.[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : undefined
  return other === undefined ? [] : [{ parts: [other], isPrefix: false }]
}

/** How far katakana are behind hiragana in Unicode. */
const kanaDistance = 0x60

/** A word of a script without spaces, which may have spaces in the text, in its own and in the other kana. */
function spellingsOfDense(word: string): readonly Spelling[] {
  const katakana = word.replace(/[\u3041-\u3096]/g, (sign) => move(sign, kanaDistance))
  const hiragana = word.replace(/[\u30a1-\u30f6]/g, (sign) => move(sign, -kanaDistance))
  return [...new Set([word, katakana, hiragana])].flatMap((spelling): readonly Spelling[] => {
    const { letters, pairs } = partsOfDense(spelling)
    if (pairs.length > 1) return [{ parts: pairs, isPrefix: false, letters }]
    return spelling === word ? [] : [{ parts: pairs.length ? pairs : letters, isPrefix: false }]
  })
}

const move = (sign: string, by: number): string => String.fromCodePoint((sign.codePointAt(0) as number) + by)
