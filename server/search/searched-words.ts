import { chainsOf, isDense, joinedOf, partsOfDense, wordId } from '../publishing/index.ts'
import { stopWordsOf } from './stop-words.ts'

/** A word of a query: products are found by all of its parts, or by it as one word, or by what it may be a typo of. */
export interface SearchedWord {
  readonly word: string
  /** Of a compound (`wi-fi`), or of a word in a script without spaces; otherwise the word itself. */
  readonly parts: readonly string[]
  /** The last word of a query is being written: longer words that begin so are meant, too. */
  readonly isPrefix: boolean
  /** It says little: products without it are found, after those that have it in their names. */
  readonly isOptional: boolean
  readonly typos: readonly string[]
}

/** No more words of a query are looked at. */
const wordsMax = 20

/** Whether a query is for all products. */
export const isForAll = (q: string): boolean => ['', '*'].includes(q.trim())

/** The words of a text. */
export function wholeWords(text: string): readonly SearchedWord[] {
  const found = (word: string, parts: readonly string[]): SearchedWord => ({
    word,
    parts,
    isPrefix: false,
    isOptional: false,
    typos: [],
  })
  return chainsOf(text).flatMap((chain) => {
    const words = chain.flatMap(({ words }) => words)
    const joined = joinedOf(chain)
    if (joined !== undefined) return found(joined, words)
    return words.map((word) => {
      if (!isDense(word)) return found(word, [word])
      const { letters, pairs } = partsOfDense(word)
      return found(word, pairs.length ? pairs : letters)
    })
  })
}

/** The words of a query in some languages. */
export function searchedWords(q: string, languages: readonly string[] = []): readonly SearchedWord[] {
  const words = wholeWords(q).slice(0, wordsMax)
  const isStopWord = stopWordsOf(languages)
  const isOptional = words.map(({ word }) => isStopWord(word))
  const isAll = isOptional.every(Boolean)
  return words.map((word, i) => ({
    ...word,
    isPrefix: i === words.length - 1,
    isOptional: !isAll && isOptional[i] === true,
  }))
}

const lexeme = (word: string, marks: string): string => `'${word}'${marks && `:${marks}`}`

/** The query for texts that have a word, at the place of a weight. */
export function wordQuery({ word, parts, isPrefix, typos }: SearchedWord, weight = ''): string {
  const last = `${isPrefix ? '*' : ''}${weight}`
  const all = parts.map((part, i) => lexeme(part, i === parts.length - 1 ? last : weight)).join(' & ')
  // Rows that an older version published have a word of a script without spaces as it is written.
  const whole = parts.length > 1 || isDense(word) ? [lexeme(word, isDense(word) ? `*${weight}` : last)] : []
  return `(${[`(${all})`, ...whole, ...typos.map((typo) => lexeme(typo, weight))].join(' | ')})`
}

/** The query for texts that have all of these words. */
export const queryOf = (words: readonly SearchedWord[], weight = ''): string =>
  words
    .filter(({ isOptional }) => !isOptional)
    .map((word) => wordQuery(word, weight))
    .join(' & ')

/** No more ways to write a text are looked for. */
const waysMax = 4

/**
 * What stands for all words of a text in a row that has them in a field: a list for each way to write it, as compounds
 * are in parts, or one word. None where it has no words.
 */
export function wordIdsOf(field: string, text: string): readonly (readonly string[])[] {
  const words = wholeWords(text)
  if (!words.length) return []
  let ways: readonly (readonly string[])[] = [[]]
  for (const { word, parts } of words) {
    const inParts = ways.map((way) => [...way, ...parts])
    const isCompound = parts.length > 1 && !isDense(word) && ways.length < waysMax
    ways = isCompound ? [...inParts, ...ways.map((way) => [...way, word])] : inParts
  }
  return ways.map((way) => [...new Set(way)].map((word) => wordId(field, word)))
}
