/** What a value of a field is compared with. A product matches where one of its values does. */
export type Operand =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'range'; readonly from: string; readonly to: string }
  | { readonly is: 'bound'; readonly op: Bound; readonly number: string }

/** The longer ones first: `>` is how `>=` begins, too. */
const bounds = ['>=', '<=', '>', '<'] as const

export type Bound = (typeof bounds)[number]

export interface Term {
  readonly is: 'term'
  readonly field: string
  /** Finds the other products, those without the field among them. */
  readonly not: boolean
  /** How texts are compared: as a whole, or word by word. */
  readonly how: 'whole' | 'words'
  /** One of them must match. */
  readonly operands: readonly Operand[]
}

/** The tree of a `filter_by`. */
export type Filter = Term | { readonly is: 'all' | 'any'; readonly of: readonly Filter[] }

/** Why a text is not a filter: the message says what was expected at which character, from 1 on. */
export class Unparsable extends Error {}

const depthMax = 50
export const filterMost = { terms: 50, values: 250 } as const

/** Numbers as they are written: they are compared exactly. */
const number = /^-?\d{1,30}(?:\.\d{1,15})?$/

export const isNumber = (text: string): boolean => number.test(text)

/** Reads a filter: the grammar that search front ends write. Throws `Unparsable`. Undefined: the text is blank. */
export function parseFilter(text: string): Filter | undefined {
  if (!text.trim()) return undefined
  const reader = new Reader(text)
  const filter = anyOf(reader, 0)
  if (!reader.atEnd) reader.expected('&&, || or the end of the filter')
  return filter
}

/** Goes through the text once: each step looks at a few characters and moves on. */
class Reader {
  readonly #text: string
  #at = 0
  terms = 0
  values = 0

  constructor(text: string) {
    this.#text = text
    this.skipSpace()
  }

  /** Each condition and each of its values is looked up. */
  count(what: keyof typeof filterMost): void {
    if (++this[what] <= filterMost[what]) return
    throw new Unparsable(
      `A filter has at most ${filterMost.terms} conditions and ${filterMost.values} values.`,
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
    const found = at < this.#text.length ? JSON.stringify(this.#text.slice(at, at + shownMax)) : 'the end'
    throw new Unparsable(`${unparsed} Expected ${what} at character ${at + 1}, found ${found}.`)
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

  /** Everything up to the first place where `ends` holds, outside of parentheses that were opened meanwhile. */
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

/** So much of the text is repeated in a refusal. */
const shownMax = 20

function anyOf(reader: Reader, depth: number): Filter {
  if (depth > depthMax) throw new Unparsable(`${unparsed} At most ${depthMax} parentheses may be nested.`)
  const of = [allOf(reader, depth)]
  while (reader.takes('||')) of.push(allOf(reader, depth))
  return of.length === 1 ? (of[0] as Filter) : { is: 'any', of }
}

function allOf(reader: Reader, depth: number): Filter {
  const of = [one(reader, depth)]
  while (reader.takes('&&')) of.push(one(reader, depth))
  return of.length === 1 ? (of[0] as Filter) : { is: 'all', of }
}

function one(reader: Reader, depth: number): Filter {
  if (!reader.takes('(')) return term(reader)
  const inside = anyOf(reader, depth + 1)
  if (!reader.takes(')')) reader.expected('&&, || or a closing parenthesis')
  return inside
}

const field = /^[^\s:&|`[\]<>=!]+$/

/** Whether it may be the name of a field. No product has a field of another name. */
export const isField = (text: string): boolean => field.test(text) && balanced(text)

function balanced(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

function term(reader: Reader): Term {
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
      operands: [boundOf(reader, bound, plain(reader), at)],
    }
  }
  const not = reader.takes('!')
  const how = reader.takes('=') ? 'whole' : 'words'
  return { is: 'term', field, not, how, operands: reader.takes('[') ? list(reader) : [single(reader)] }
}

function boundOf(reader: Reader, op: Bound, text: string, at: number): Operand {
  if (!isNumber(text)) reader.expected(`a number after ${op}`, at)
  return { is: 'bound', op, number: text }
}

const endsValue = (rest: string) => rest === '&&' || rest === '||' || rest.startsWith(')')

function plain(reader: Reader, ends = endsValue): string {
  const from = reader.at
  const text = reader.upTo(ends)
  if (!text) reader.expected('a value', from)
  if (text.includes('`')) reader.expected('a value that is wholly in backticks, or without them', from)
  // Behind a parenthesis that is not closed, other conditions would be taken for the value.
  if (!balanced(text)) reader.expected('a value whose parentheses are closed', from)
  return text
}

function single(reader: Reader): Operand {
  return { is: 'text', text: reader.next === '`' ? reader.quoted() : plain(reader) }
}

function list(reader: Reader): readonly Operand[] {
  const operands: Operand[] = []
  do {
    reader.count('values')
    operands.push(item(reader))
  } while (reader.takes(','))
  if (!reader.takes(']')) reader.expected('a comma or ] after a value')
  return operands
}

function item(reader: Reader): Operand {
  if (reader.next === '`') return { is: 'text', text: reader.quoted() }
  const at = reader.at
  const text = plain(reader, (rest) => rest.startsWith(',') || rest.startsWith(']'))
  const dots = text.indexOf('..')
  const [from, to] = [text.slice(0, dots).trim(), text.slice(dots + 2).trim()]
  if (dots > 0 && isNumber(from) && isNumber(to)) return { is: 'range', from, to }
  const op = bounds.find((op) => text.startsWith(op))
  const edge = op && text.slice(op.length).trim()
  return op && edge ? boundOf(reader, op, edge, at + op.length) : { is: 'text', text }
}
