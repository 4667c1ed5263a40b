/** What of a product's field is asked for. A field may have several values: it is enough that one of them is so. */
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
  /** Products of which that is not so, those without the field among them. */
  readonly not: boolean
  /** How texts are compared: as a whole, or word by word. */
  readonly how: 'whole' | 'words'
  /** One of these is asked for. */
  readonly operands: readonly Operand[]
}

/** What `filter_by` says. */
export type Filter = Term | { readonly is: 'all' | 'any'; readonly of: readonly Filter[] }

/** Something that is no filter, or (its message) one of more than is looked at. */
export class Unparsable extends Error {}

const depthMax = 50
export const filterMost = { terms: 50, values: 250 } as const

/** Numbers as they are written: they are compared exactly. */
const number = /^-?\d{1,30}(?:\.\d{1,15})?$/

export const isNumber = (text: string): boolean => number.test(text)

/** Reads a filter: the grammar that search front ends write. Throws `Unparsable`. Undefined: nothing is asked for. */
export function parseFilter(text: string): Filter | undefined {
  if (!text.trim()) return undefined
  const reader = new Reader(text)
  const filter = anyOf(reader, 0)
  if (!reader.atEnd) throw new Unparsable()
  return filter
}

class Reader {
  readonly #text: string
  #at = 0
  terms = 0
  values = 0

  constructor(text: string) {
    this.#text = text
    this.skipSpace()
  }

  /** Each condition is looked at for each product, and so is each of its values. */
  count(what: keyof typeof filterMost): void {
    if (++this[what] <= filterMost[what]) return
    throw new Unparsable(
      `A filter has at most ${filterMost.terms} conditions and ${filterMost.values} values.`,
    )
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get next(): string {
    return this.#text[this.#at] ?? ''
  }

  skipSpace(): void {
    while (/\s/.test(this.next)) this.#at++
  }

  /** Whether that comes next: then it, and the space behind it, is behind us. */
  takes(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    this.skipSpace()
    return true
  }

  /** Everything up to the first that `ends` says yes to, outside of parentheses that were opened meanwhile. */
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

  /** What stands in backticks. */
  quoted(): string {
    const end = this.#text.indexOf('`', this.#at + 1)
    if (end < 0) throw new Unparsable()
    const text = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    this.skipSpace()
    return text
  }
}

function anyOf(reader: Reader, depth: number): Filter {
  if (depth > depthMax) throw new Unparsable()
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
  if (!reader.takes(')')) throw new Unparsable()
  return inside
}

const field = /^[^\s:&|`[\]<>=!]+$/

/** Whether it may be the name of a field: what is not so is no name that products could have. */
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
  const field = reader.upTo((rest) => rest.startsWith(':'))
  if (!isField(field) || !reader.takes(':')) throw new Unparsable()
  const bound = bounds.find((op) => reader.takes(op))
  if (bound) {
    return { is: 'term', field, not: false, how: 'whole', operands: [boundOf(bound, plain(reader))] }
  }
  const not = reader.takes('!')
  const how = reader.takes('=') ? 'whole' : 'words'
  return { is: 'term', field, not, how, operands: reader.takes('[') ? list(reader) : [single(reader)] }
}

function boundOf(op: Bound, text: string): Operand {
  if (!isNumber(text)) throw new Unparsable()
  return { is: 'bound', op, number: text }
}

const endsValue = (rest: string) => rest === '&&' || rest === '||' || rest.startsWith(')')

function plain(reader: Reader, ends = endsValue): string {
  const text = reader.upTo(ends)
  // Behind a parenthesis that is not closed, other conditions would be taken for the value.
  if (!text || text.includes('`') || !balanced(text)) throw new Unparsable()
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
  if (!reader.takes(']')) throw new Unparsable()
  return operands
}

function item(reader: Reader): Operand {
  if (reader.next === '`') return { is: 'text', text: reader.quoted() }
  const text = plain(reader, (rest) => rest.startsWith(',') || rest.startsWith(']'))
  const dots = text.indexOf('..')
  const [from, to] = [text.slice(0, dots).trim(), text.slice(dots + 2).trim()]
  if (dots > 0 && isNumber(from) && isNumber(to)) return { is: 'range', from, to }
  const op = bounds.find((op) => text.startsWith(op))
  const edge = op && text.slice(op.length).trim()
  return op && edge ? boundOf(op, edge) : { is: 'text', text }
}
