/** What values are compared with. A product matches if one of its values does. */
export type Operand =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'range'; readonly from: string; readonly to: string }
  | { readonly is: 'bound'; readonly op: RangeBound; readonly number: string }

/** Longer operators first, because `>=` also begins with `>`. */
const bounds = ['>=', '<=', '>', '<'] as const

type RangeBound = (typeof bounds)[number]

export interface Term {
  readonly is: 'term'
  readonly field: string
  /** Matches all other products, including those without the field. */
  readonly not: boolean
  /** How texts are compared: the whole text, or word by word. */
  readonly how: 'whole' | 'words'
  /** One of them must match. */
  readonly operands: readonly Operand[]
}

/** The tree of a `filter_by`. */
export type SearchFilter = Term | { readonly is: 'all' | 'any'; readonly of: readonly SearchFilter[] }

/** The text is not a filter. The message says what was expected at which character, counted from 1. */
export class Unparsable extends Error {}

const depthMax = 50
const filterMost = { terms: 50, values: 250 } as const

/** Numbers stay text, so that they are compared exactly. */
const number = /^-?\d{1,30}(?:\.\d{1,15})?$/

export const isNumber = (text: string): boolean => number.test(text)

/** Parses a filter in the grammar of search front ends. Returns undefined for a blank text; throws `Unparsable`. */
export function parseFilter(text: string): SearchFilter | undefined {
  if (!text.trim()) return undefined
  const reader = new FilterByReader(text)
  const filter = parseAny(reader, 0)
  if (!reader.atEnd) reader.expected('&&, || or the end of the filter')
  return filter
}

/** Reads the text once, from left to right. */
class FilterByReader {
  readonly #text: string
  #at = 0
  terms = 0
  values = 0

  constructor(text: string) {
    this.#text = text
    this.skipSpace()
  }

  /** Counts conditions and values, because each one is looked up. */
  count(what: keyof typeof filterMost): void {
    if (++this[what] <= filterMost[what]) return
    throw new Unparsable(
      `A filter must have at most ${filterMost.terms} conditions and ${filterMost.values} values.`,
    )
  }

  get at(): number {
    return this.#at
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get next(): string {
    return this.#text[this.#at] ?? ''
  }

  expected(what: string, at = this.#at): never {
    const next = at < this.#text.length ? JSON.stringify(this.#text.slice(at, at + shownMax)) : 'the end'
    throw new Unparsable(`${unparsed} Expected ${what} at character ${at + 1}, found ${next}.`)
  }

  skipSpace(): void {
    while (/\s/.test(this.next)) this.#at++
  }

  /** Moves past the token and the space after it, if the token comes next. */
  takes(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    this.skipSpace()
    return true
  }

  /** Reads up to the first place where `ends` is true, outside of parentheses that began here. */
  upTo(ends: (rest: string) => boolean): string {
    const from = this.#at
    let depth = 0
    while (!this.atEnd) {
      if (depth === 0 && ends(this.#text.slice(this.#at, this.#at + 2))) break
      if (this.next === '(') depth++
      if (this.next === ')') depth--
      this.#at++
    }
    return this.#text.slice(from, this.#at).trim()
  }

  /** The text between two backticks. */
  quoted(): string {
    const end = this.#text.indexOf('`', this.#at + 1)
    if (end < 0) this.expected('a closing backtick', this.#text.length)
    const text = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    this.skipSpace()
    return text
  }
}

const unparsed = 'Could not parse the filter query.'

/** How many characters of the text a message repeats. */
const shownMax = 20

function parseAny(reader: FilterByReader, depth: number): SearchFilter {
  if (depth > depthMax)
    throw new Unparsable(`${unparsed} Parentheses may be nested at most ${depthMax} deep.`)
  const of = [parseAll(reader, depth)]
  while (reader.takes('||')) of.push(parseAll(reader, depth))
  return of.length === 1 ? (of[0] as SearchFilter) : { is: 'any', of }
}

function parseAll(reader: FilterByReader, depth: number): SearchFilter {
  const of = [parsePart(reader, depth)]
  while (reader.takes('&&')) of.push(parsePart(reader, depth))
  return of.length === 1 ? (of[0] as SearchFilter) : { is: 'all', of }
}

function parsePart(reader: FilterByReader, depth: number): SearchFilter {
  if (!reader.takes('(')) return parseTerm(reader)
  const inside = parseAny(reader, depth + 1)
  if (!reader.takes(')')) reader.expected('&&, || or a closing parenthesis')
  return inside
}

const field = /^[^\s:&|`[\]<>=!]+$/

/** Whether the text is a valid field name. */
export const isField = (text: string): boolean => field.test(text) && balanced(text)

function balanced(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

function parseTerm(reader: FilterByReader): Term {
  reader.count('terms')
  const from = reader.at
  const field = reader.upTo((rest) => rest.startsWith(':'))
  if (!field) reader.expected('the name of a field', from)
  if (!isField(field)) reader.expected('the name of a field and a colon', from)
  if (!reader.takes(':')) reader.expected(`a colon after the field ${field.slice(0, shownMax)}`)
  const bound = bounds.find((op) => reader.takes(op))
  if (bound) {
    const at = reader.at
    return {
      is: 'term',
      field,
      not: false,
      how: 'whole',
      operands: [toBound(reader, bound, parsePlain(reader), at)],
    }
  }
  const not = reader.takes('!')
  const how = reader.takes('=') ? 'whole' : 'words'
  return {
    is: 'term',
    field,
    not,
    how,
    operands: reader.takes('[') ? parseList(reader) : [parseSingle(reader)],
  }
}

function toBound(reader: FilterByReader, op: RangeBound, text: string, at: number): Operand {
  if (!isNumber(text)) reader.expected(`a number after ${op}`, at)
  return { is: 'bound', op, number: text }
}

const endsValue = (rest: string) => rest === '&&' || rest === '||' || rest.startsWith(')')

function parsePlain(reader: FilterByReader, ends = endsValue): string {
  const from = reader.at
  const text = reader.upTo(ends)
  if (!text) reader.expected('a value', from)
  if (text.includes('`'))
    reader.expected('a value that is completely in backticks, or without backticks', from)
  // After an open parenthesis, the conditions that follow would become part of the value.
  if (!balanced(text)) reader.expected('a value whose parentheses are closed', from)
  return text
}

function parseSingle(reader: FilterByReader): Operand {
  return { is: 'text', text: reader.next === '`' ? reader.quoted() : parsePlain(reader) }
}

function parseList(reader: FilterByReader): readonly Operand[] {
  const operands: Operand[] = []
  do {
    reader.count('values')
    operands.push(parseItem(reader))
  } while (reader.takes(','))
  if (!reader.takes(']')) reader.expected('a comma or ] after a value')
  return operands
}

function parseItem(reader: FilterByReader): Operand {
  if (reader.next === '`') return { is: 'text', text: reader.quoted() }
  const at = reader.at
  const text = parsePlain(reader, (rest) => rest.startsWith(',') || rest.startsWith(']'))
  const dots = text.indexOf('..')
  const [from, to] = [text.slice(0, dots).trim(), text.slice(dots + 2).trim()]
  if (dots > 0 && isNumber(from) && isNumber(to)) return { is: 'range', from, to }
  const op = bounds.find((op) => text.startsWith(op))
  const edge = op && text.slice(op.length).trim()
  return op && edge ? toBound(reader, op, edge, at + op.length) : { is: 'text', text }
}
