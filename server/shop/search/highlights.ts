import type { SearchedWord, Spelling } from '../matching/searched-words.ts'
import { chainsOf, isDense, joinedOf, type Run } from '../sources/words.ts'

/** A part of a text with marks around the words of the query. */
interface Highlight {
  readonly matched_tokens: readonly string[]
  readonly snippet: string
  /** All of the text, of fields that `highlight_full_fields` names. */
  readonly value?: string
}

interface Highlights {
  readonly highlight: Readonly<Record<string, unknown>>
  readonly highlights: readonly ({ readonly field: string } & Highlight)[]
}

/** A longer text is cut to the words around the first match. */
const wordsMax = 30
const aroundMax = 4

const highlighted = ['name', 'sku', 'manufacturer_part_num', 'description']

/** Highlights the fields of a product. `full` names the fields whose whole text is shown. */
export function highlightProduct(
  attributes: Readonly<Record<string, unknown>>,
  words: readonly SearchedWord[],
  full: ReadonlySet<string>,
): Highlights {
  const highlightsOfFields = highlighted.flatMap((name) => {
    const field = `attributes.${name}`
    const text = attributes[name]
    const highlight =
      typeof text === 'string' ? highlightText(text, words, full.has(name) || full.has(field)) : undefined
    return highlight ? [{ name, field, ...highlight }] : []
  })
  const nested = highlightsOfFields.map(({ name, field: _, ...highlight }) => [name, highlight])
  return {
    highlight: highlightsOfFields.length ? { attributes: Object.fromEntries(nested) } : {},
    highlights: highlightsOfFields.map(({ name: _, ...highlight }) => highlight),
  }
}

/** The words of a query as sets, so that each word of a text needs one look-up, however long the query is. */
interface SearchTerms {
  /** The words of the query, with the parts of its compounds. */
  readonly parts: WordSet
  /** The words of the query as a whole, which a compound of the text may equal. */
  readonly whole: WordSet
  /** The words as they may occur inside a text of a script without spaces. */
  readonly dense: readonly string[]
}

interface WordSet {
  readonly words: ReadonlySet<string>
  readonly beginnings: readonly string[]
}

function toSearchTerms(words: readonly SearchedWord[]): SearchTerms {
  return {
    parts: toWordSet(words.flatMap(splitCompound)),
    whole: toWordSet(words),
    dense: words.flatMap(({ word, spellings }) => [
      word.normalize('NFC'),
      ...spellings.flatMap(({ letters }) => letters?.join('') ?? []),
    ]),
  }
}

const toWordSet = (words: readonly SearchedWord[]): WordSet => ({
  words: new Set(
    words.flatMap(({ word, typos, spellings }) => [word, ...typos, ...spellings.flatMap(wordsIn)]),
  ),
  beginnings: words.flatMap(({ word, isPrefix, spellings }) => [
    ...(isPrefix ? [word] : []),
    ...spellings.filter((one) => one.isPrefix).flatMap((one) => wordsIn(one).slice(-1)),
  ]),
})

/** The words of a spelling, except of a script without spaces. */
const wordsIn = ({ parts, letters }: Spelling): readonly string[] => (letters ? [] : parts)

const isInSet = ({ words, beginnings }: WordSet, word: string): boolean =>
  words.has(word) || beginnings.some((beginning) => word.startsWith(beginning))

/** Undefined if the text has no word of the query. */
export const highlightText = (
  text: string,
  words: readonly SearchedWord[],
  full = false,
): Highlight | undefined => (words.length ? highlightIn(text, toSearchTerms(words), full) : undefined)

function highlightIn(text: string, terms: SearchTerms, full: boolean): Highlight | undefined {
  const tokens = chainsOf(text).flatMap((chain) => toTokens(text, chain, terms))
  const first = tokens.findIndex(({ isMatch }) => isMatch)
  if (first < 0) return undefined
  const cut = tokens.length > wordsMax
  const from = cut ? (tokens[Math.max(0, first - aroundMax)]?.from ?? 0) : 0
  const to = cut ? (tokens[Math.min(tokens.length - 1, first + aroundMax)]?.to ?? text.length) : text.length
  const matches = tokens.filter(({ isMatch }) => isMatch)
  return {
    matched_tokens: [...new Set(matches.map(({ from, to }) => text.slice(from, to)))],
    snippet: insertMarks(text, matches, from, to),
    ...(full && { value: insertMarks(text, matches, 0, text.length) }),
  }
}

interface Token {
  readonly from: number
  readonly to: number
  readonly isMatch: boolean
}

/** The tokens of a chain. A compound that the query has as one word is one token. */
function toTokens(text: string, chain: readonly Run[], terms: SearchTerms): readonly Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < chain.length; ) {
    const compound = findCompound(chain, i, terms)
    const run = chain[i] as Run
    if (compound) tokens.push({ from: run.from, to: compound.at(-1)?.to ?? run.to, isMatch: true })
    else tokens.push(toToken(text, run, terms))
    i += compound?.length ?? 1
  }
  return tokens
}

function findCompound(chain: readonly Run[], i: number, { whole }: SearchTerms): readonly Run[] | undefined {
  if (chain.length - i < 2) return undefined
  return [chain.slice(i), chain.slice(i, i + 2)].find((runs) => {
    const joined = joinedOf(runs)
    return joined !== undefined && isInSet(whole, joined)
  })
}

function toToken(text: string, run: Run, { parts, dense }: SearchTerms): Token {
  const { from, to } = run
  if (!run.words.some(isDense)) return { from, to, isMatch: run.words.some((word) => isInSet(parts, word)) }
  // A word may begin and end anywhere in such a run.
  const letters = text.slice(from, to).toLowerCase()
  const match = dense.find((word) => letters.includes(word))
  if (match === undefined) return { from, to, isMatch: false }
  const at = from + letters.indexOf(match)
  return { from: at, to: at + match.length, isMatch: true }
}

/** A compound of the query also matches by its parts. */
const splitCompound = (compound: SearchedWord): readonly SearchedWord[] =>
  compound.parts.length === 1 || isDense(compound.word)
    ? [compound]
    : compound.parts.map((word, i) => ({
        ...compound,
        word,
        isPrefix: compound.isPrefix && i === compound.parts.length - 1,
      }))

function insertMarks(
  text: string,
  tokens: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): string {
  let done = from
  let snippet = ''
  for (const token of tokens) {
    if (token.from < from || token.to > to) continue
    snippet += `${text.slice(done, token.from)}<mark>${text.slice(token.from, token.to)}</mark>`
    done = token.to
  }
  return snippet + text.slice(done, to)
}
