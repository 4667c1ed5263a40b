import { chainsOf, isDense, joinedOf, type Run } from '../publishing/index.ts'
import type { SearchedWord } from './searched-words.ts'

/** A part of a text with marks around the words of the query. */
export interface Highlight {
  readonly matched_tokens: readonly string[]
  readonly snippet: string
  /** All of the text, of fields that `highlight_full_fields` names. */
  readonly value?: string
}

export interface Highlights {
  readonly highlight: Readonly<Record<string, unknown>>
  readonly highlights: readonly ({ readonly field: string } & Highlight)[]
}

/** A longer text is cut down to what is around the first word of the query. */
const wordsMax = 30
const aroundMax = 4

const highlighted = ['name', 'sku', 'manufacturer_part_num', 'description']

/** The highlights of a product. `full` names the fields whose whole text is shown. */
export function highlightsOf(
  attributes: Readonly<Record<string, unknown>>,
  words: readonly SearchedWord[],
  full: ReadonlySet<string>,
): Highlights {
  const found = highlighted.flatMap((name) => {
    const field = `attributes.${name}`
    const text = attributes[name]
    const marked =
      typeof text === 'string' ? highlightOf(text, words, full.has(name) || full.has(field)) : undefined
    return marked ? [{ name, field, ...marked }] : []
  })
  const nested = found.map(({ name, field: _, ...marked }) => [name, marked])
  return {
    highlight: found.length ? { attributes: Object.fromEntries(nested) } : {},
    highlights: found.map(({ name: _, ...marked }) => marked),
  }
}

/** What is looked for in a text, so that each of its words is looked up once, however many words the query has. */
interface Wanted {
  /** Words of the query, and parts of its compounds. */
  readonly parts: Looked
  /** Words of the query as a whole: what a compound of the text may be. */
  readonly whole: Looked
  /** As they are looked for within a word of a script without spaces. */
  readonly dense: readonly string[]
}

interface Looked {
  readonly words: ReadonlySet<string>
  readonly beginnings: readonly string[]
}

function wantedOf(words: readonly SearchedWord[]): Wanted {
  return {
    parts: looked(words.flatMap(partsOf)),
    whole: looked(words),
    dense: words.map(({ word }) => word.normalize('NFC')),
  }
}

const looked = (words: readonly SearchedWord[]): Looked => ({
  words: new Set(words.flatMap(({ word, typos }) => [word, ...typos])),
  beginnings: words.filter(({ isPrefix }) => isPrefix).map(({ word }) => word),
})

const isAmong = ({ words, beginnings }: Looked, word: string): boolean =>
  words.has(word) || beginnings.some((beginning) => word.startsWith(beginning))

/** Undefined where no word of the query is in the text. */
export const highlightOf = (
  text: string,
  words: readonly SearchedWord[],
  full = false,
): Highlight | undefined => (words.length ? highlightIn(text, wantedOf(words), full) : undefined)

function highlightIn(text: string, wanted: Wanted, full: boolean): Highlight | undefined {
  const tokens = chainsOf(text).flatMap((chain) => tokensOf(text, chain, wanted))
  const first = tokens.findIndex(({ isFound }) => isFound)
  if (first < 0) return undefined
  const cut = tokens.length > wordsMax
  const from = cut ? (tokens[Math.max(0, first - aroundMax)]?.from ?? 0) : 0
  const to = cut ? (tokens[Math.min(tokens.length - 1, first + aroundMax)]?.to ?? text.length) : text.length
  const found = tokens.filter(({ isFound }) => isFound)
  return {
    matched_tokens: [...new Set(found.map(({ from, to }) => text.slice(from, to)))],
    snippet: marked(text, found, from, to),
    ...(full && { value: marked(text, found, 0, text.length) }),
  }
}

interface Token {
  readonly from: number
  readonly to: number
  readonly isFound: boolean
}

/** The parts of a chain that are marked or not: a compound as a whole where the query has it as one word. */
function tokensOf(text: string, chain: readonly Run[], wanted: Wanted): readonly Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < chain.length; ) {
    const compound = compoundAt(chain, i, wanted)
    const run = chain[i] as Run
    if (compound) tokens.push({ from: run.from, to: compound.at(-1)?.to ?? run.to, isFound: true })
    else tokens.push(tokenOfRun(text, run, wanted))
    i += compound?.length ?? 1
  }
  return tokens
}

function compoundAt(chain: readonly Run[], i: number, { whole }: Wanted): readonly Run[] | undefined {
  if (chain.length - i < 2) return undefined
  return [chain.slice(i), chain.slice(i, i + 2)].find((runs) => {
    const joined = joinedOf(runs)
    return joined !== undefined && isAmong(whole, joined)
  })
}

function tokenOfRun(text: string, run: Run, { parts, dense }: Wanted): Token {
  const { from, to } = run
  if (!run.words.some(isDense)) return { from, to, isFound: run.words.some((word) => isAmong(parts, word)) }
  // Words begin and end anywhere in it.
  const letters = text.slice(from, to).toLowerCase()
  const asked = dense.find((word) => letters.includes(word))
  if (asked === undefined) return { from, to, isFound: false }
  const at = from + letters.indexOf(asked)
  return { from: at, to: at + asked.length, isFound: true }
}

/** A compound of the query is found by its parts, too. */
const partsOf = (asked: SearchedWord): readonly SearchedWord[] =>
  asked.parts.length === 1 || isDense(asked.word)
    ? [asked]
    : asked.parts.map((word, i) => ({
        ...asked,
        word,
        isPrefix: asked.isPrefix && i === asked.parts.length - 1,
      }))

function marked(
  text: string,
  found: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): string {
  let done = from
  let snippet = ''
  for (const token of found) {
    if (token.from < from || token.to > to) continue
    snippet += `${text.slice(done, token.from)}<mark>${text.slice(token.from, token.to)}</mark>`
    done = token.to
  }
  return snippet + text.slice(done, to)
}
