import { wordsOf } from '../publishing/index.ts'
import type { SearchedWord } from './search-sql.ts'

/** What is shown of a text that was found, with marks around the words that were asked for. */
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

/** A longer text is cut down to what is around the first word that was asked for. */
const wordsMax = 30
const aroundMax = 4

const highlighted = ['name', 'sku', 'manufacturer_part_num', 'description']

/** The highlights of a product. `full`: the fields of which all of the text is told. */
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

/** Undefined where no word that was asked for is in it. */
export function highlightOf(
  text: string,
  words: readonly SearchedWord[],
  full = false,
): Highlight | undefined {
  const tokens = [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    isFound: wordsOf(match[0]).some((word) => words.some((asked) => meets(word, asked))),
  }))
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

const meets = (word: string, { word: asked, isPrefix, slips }: SearchedWord): boolean =>
  word === asked || (isPrefix && word.startsWith(asked)) || slips.includes(word)

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
