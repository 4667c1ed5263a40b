import { wordId } from '../sources/value-id.ts'
import { chainsOf, foldText, isDense, joinedOf, partsOfDense } from '../sources/words.ts'

/** Stop words by language: articles and the most common prepositions and conjunctions. */
const lists: Readonly<Record<string, string>> = {
  da: 'af at de den der det du en er et for fra i med of og om på som til ved vi',
  de: 'als am an auf aus bei das dem den der des die ein eine einem einen einer eines für im in ist mit oder und vom von zu zum zur',
  en: 'a an and are as at be by for from in is it of on or that the this to with',
  es: 'a al con de del el en es la las lo los o para por que se su un una unas unos y',
  fi: 'ei ja joka kun me ne on se että tai',
  fr: 'à au aux avec ce ces dans de des du en est et la le les ou par pour que sur un une',
  it: 'a ad ai al alla con da dal dalla dei del della delle di e è gli i il in la le lo nel nella o per su un una uno',
  nb: 'av de den det en er et for fra i med og om på som til ved',
  nl: 'aan als bij de den der die dit een en het in is met of om op te tot uit van voor',
  pl: 'a do i na o od po w we z za ze',
  pt: 'a ao aos as com da das de do dos e em na nas no nos o ou os para por que um uma',
  sv: 'av de den det en ett för från i med och om på som till vid är',
}

const words = new Map([
  ...Object.entries(lists).map(
    ([language, list]) => [language, new Set(list.split(' ').map(foldText))] as const,
  ),
])
const aliases: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' }

/** The language of a request that names none. */
const defaultLanguage = 'en'

/** Returns whether a folded word is a stop word in one of the languages. */
function findStopWords(languages: readonly string[]): (word: string) => boolean {
  const tags = languages.map((tag) => tag.toLowerCase().split(/[-_]/, 1)[0] as string)
  const lists = (tags.length ? tags : [defaultLanguage]).flatMap(
    (tag) => words.get(aliases[tag] ?? tag) ?? [],
  )
  return (word) => lists.some((list) => list.has(word))
}

/** A word of a query. It matches as one word, by all of its parts, or as a typo of another word. */
export interface SearchedWord {
  readonly word: string
  /** The parts of a compound (`wi-fi`) or of a word in a script without spaces; otherwise the word itself. */
  readonly parts: readonly string[]
  /** The last word of a query may be incomplete, so it also matches longer words. */
  readonly isPrefix: boolean
  /** A stop word. Products without it match too, but those with it in their names come first. */
  readonly isOptional: boolean
  readonly typos: readonly string[]
  /** Other spellings, for a query that finds nothing as it is written: see `respell`. */
  readonly spellings: readonly Spelling[]
}

/** Words that together stand for a word. */
export interface Spelling {
  readonly parts: readonly string[]
  /** The last part may be incomplete. */
  readonly isPrefix: boolean
  /** The letters of a script without spaces, whose pairs are the parts: the text may have spaces between them. */
  readonly letters?: readonly string[]
}

/** Further words of a query are ignored. */
const wordsMax = 20

/** Whether a query matches all products. */
export const isForAll = (q: string): boolean => ['', '*'].includes(q.trim())

/** Splits a text into words. */
export function splitWords(text: string): readonly SearchedWord[] {
  const toWord = (word: string, parts: readonly string[]): SearchedWord => ({
    word,
    parts,
    isPrefix: false,
    isOptional: false,
    typos: [],
    spellings: [],
  })
  return chainsOf(text).flatMap((chain) => {
    const words = chain.flatMap(({ words }) => words)
    const joined = joinedOf(chain)
    if (joined !== undefined) return toWord(joined, words)
    return words.map((word) => {
      if (!isDense(word)) return toWord(word, [word])
      const { letters, pairs } = partsOfDense(word)
      return toWord(word, pairs.length ? pairs : letters)
    })
  })
}

/** Splits a query into words. The languages decide which of them are stop words. */
export function parseQuery(q: string, languages: readonly string[] = []): readonly SearchedWord[] {
  const words = splitWords(q).slice(0, wordsMax)
  const isStopWord = findStopWords(languages)
  const isOptional = words.map(({ word }) => isStopWord(word))
  const isAll = isOptional.every(Boolean)
  return words.map((word, i) => ({
    ...word,
    isPrefix: i === words.length - 1,
    isOptional: !isAll && isOptional[i] === true,
  }))
}

const lexeme = (word: string, marks: string): string => `'${word}'${marks && `:${marks}`}`

/** The tsquery for a word, in texts of a weight. */
export function wordTsQuery({ word, parts, isPrefix, typos, spellings }: SearchedWord, weight = ''): string {
  const last = `${isPrefix ? '*' : ''}${weight}`
  const all = [{ parts, isPrefix }, ...spellings].map((spelling) => `(${spellingTsQuery(spelling, weight)})`)
  // Rows published by an older version have words of a script without spaces as one lexeme.
  const whole = parts.length > 1 || isDense(word) ? [lexeme(word, isDense(word) ? `*${weight}` : last)] : []
  return `(${[...all, ...whole, ...typos.map((typo) => lexeme(typo, weight))].join(' | ')})`
}

function spellingTsQuery({ parts, isPrefix, letters }: Spelling, weight: string): string {
  const last = `${isPrefix ? '*' : ''}${weight}`
  const all = parts.map((part, i) => lexeme(part, i === parts.length - 1 ? last : weight))
  if (!letters) return all.join(' & ')
  // Where a space is, the text lacks a pair and has those before and behind it, or the letter at an end.
  const [first, end] = [lexeme(letters[0] as string, weight), lexeme(letters.at(-1) as string, weight)]
  return all.map((pair, i) => `(${pair} | ${all[i - 1] ?? first} & ${all[i + 1] ?? end})`).join(' & ')
}

/** The tsquery for texts with all of these words. */
export const toTsQuery = (words: readonly SearchedWord[], weight = ''): string =>
  words
    .filter(({ isOptional }) => !isOptional)
    .map((word) => wordTsQuery(word, weight))
    .join(' & ')

/** How many spellings of a text are tried. */
const spellingsMax = 4

/**
 * The ids of all words of a text in a field: one list for each spelling, since a compound is one word or its parts.
 * Returns an empty list if the text has no words.
 */
export function listWordIds(field: string, text: string): readonly (readonly string[])[] {
  const words = splitWords(text)
  if (!words.length) return []
  let spellings: readonly (readonly string[])[] = [[]]
  for (const { word, parts } of words) {
    const inParts = spellings.map((spelling) => [...spelling, ...parts])
    const isCompound = parts.length > 1 && !isDense(word) && spellings.length < spellingsMax
    spellings = isCompound ? [...inParts, ...spellings.map((spelling) => [...spelling, word])] : inParts
  }
  return spellings.map((spelling) => [...new Set(spelling)].map((word) => wordId(field, word)))
}
