import { Problem } from '../errors.ts'
import { type Filter, filterOperators, type Op } from '../shape/list-query.ts'

export const filterLimits = {
  filterTermsMax: 10,
  filterBytesMax: 8192,
  /** Counts the parentheses that group terms, not those of the terms themselves. */
  filterDepthMax: 10,
} as const

/**
 *     filter  = all { "|" all }
 *     all     = unit { ( ":" | "," ) unit }      "," only outside parentheses, where it means the same as ":"
 *     unit    = "(" filter ")" | term
 *     term    = operator "(" name { "," operand } ")"
 *     name    = field | "'" field "'" | '"' field '"'
 *     operand = quoted | raw
 *     quoted  = ' or ", to the same quote again; after a backslash, a quote or a backslash stands for itself
 *     raw     = anything up to the "," or ")" that is not inside parentheses of its own
 *
 * Spaces between these are dropped, so a raw operand loses its leading spaces; it keeps its trailing ones. It
 * may be empty, and a quote that is not its first character is an ordinary one: `eq(name,O'Brien (Cork))`.
 * Clients join the values of `in` from a list, so its blank ones are left out: `in(id,)` has no values.
 *
 * One pass with a stack of its own: no input can cost more than its length, or recurse.
 */
export function parseFilter(text: string): Filter | undefined {
  const bytes = Buffer.byteLength(text)
  if (bytes > filterLimits.filterBytesMax)
    throw badFilter(`A filter must have at most ${filterLimits.filterBytesMax} bytes, not ${bytes}.`)
  if (text.trim() === '') return undefined

  const reader = new FilterReader(text)
  const outer: OpenGroup[] = []
  let group: OpenGroup = { anyOf: [], allOf: [] }
  let terms = 0

  for (;;) {
    while (reader.skipSpaces().char === '(') {
      if (outer.length === filterLimits.filterDepthMax)
        throw reader.refusal(
          `parentheses must nest at most ${filterLimits.filterDepthMax} deep, not ${outer.length + 1}`,
        )
      outer.push(group)
      group = { anyOf: [], allOf: [] }
      reader.at += 1
    }

    group.allOf.push(readTerm(reader))
    terms += 1

    while (reader.skipSpaces().char === ')') {
      const parent = outer.pop()
      if (parent === undefined) break
      parent.allOf.push(close(group))
      group = parent
      reader.at += 1
    }

    const outermost = outer.length === 0
    const next = reader.char
    if (next === undefined && outermost) break
    if (next === '|') {
      group.anyOf.push(join('and', group.allOf))
      group.allOf = []
    } else if (next !== ':' && !(next === ',' && outermost))
      throw reader.refusal(`expected ":", "|" or ${outermost ? 'the end' : '")"'}`)
    reader.at += 1
  }

  if (terms > filterLimits.filterTermsMax)
    throw badFilter(`A filter must have at most ${filterLimits.filterTermsMax} terms, not ${terms}.`)
  return close(group)
}

function close(group: OpenGroup): Filter {
  return join('or', [...group.anyOf, join('and', group.allOf)])
}

function join(is: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  return { is, parts: parts.flatMap((part) => (part.is === is ? part.parts : [part])) }
}

function readTerm(reader: FilterReader): Filter {
  const start = reader.at
  const word = reader.take(wordAt)
  if (word === '') throw reader.refusal('expected an operator, as in eq(field,value)')
  const name = word.toLowerCase()
  const op = Object.hasOwn(misspelled, name) ? misspelled[name as keyof typeof misspelled] : name
  if (!isOp(op))
    throw reader.refusal(
      `unknown operator "${word}", expected ${Object.keys(filterOperators).join(', ')}`,
      start,
    )
  if (reader.skipSpaces().char !== '(') throw reader.refusal('expected "("')
  reader.at += 1

  const field = readField(reader)

  const count = filterOperators[op]
  const values: string[] = []
  let operands = 0
  while (reader.skipSpaces().char === ',') {
    reader.at += 1
    const first = reader.skipSpaces().char
    const quoted = first === '"' || first === "'"
    const value = quoted ? readQuoted(reader, first) : readRaw(reader)
    operands += 1
    if (quoted || count !== 'some' || value.trim() !== '') values.push(value)
  }
  if (reader.char !== ')') throw reader.refusal('expected "," or ")"')
  reader.at += 1

  const fits = count === 'some' ? operands > 0 : operands === (count === 'one' ? 1 : 0)
  if (fits) return { is: 'term', op, field, values }
  const form = { none: 'field', one: 'field,value', some: 'field,value,…' }[count]
  throw reader.refusal(`expected ${op}(${form}), values given: ${operands}`, start)
}

/** Operators as the public contract writes them in places. */
const misspelled = { gr: 'ge' } as const

function isOp(word: string): word is Op {
  return Object.hasOwn(filterOperators, word)
}

function readRaw(reader: FilterReader): string {
  const start = reader.at
  let open = 0
  for (; reader.char !== undefined; reader.at += 1) {
    if (open === 0 && (reader.char === ',' || reader.char === ')')) break
    if (reader.char === '(') open += 1
    else if (reader.char === ')') open -= 1
  }
  if (open > 0) throw reader.refusal('expected ")"')
  return reader.text.slice(start, reader.at)
}

/** Some examples of the public contract quote the field. */
function readField(reader: FilterReader): string {
  const quote = reader.skipSpaces().char
  const quoted = quote === '"' || quote === "'"
  if (quoted) reader.at += 1
  const field = reader.take(fieldAt)
  if (field === '') throw reader.refusal('expected a field name')
  if (!quoted) return field
  if (reader.char !== quote) throw reader.refusal(`expected ${quote}`)
  reader.at += 1
  return field
}

function readQuoted(reader: FilterReader, quote: string): string {
  const quoted = reader.take(quotedAt)
  if (quoted === '') throw reader.refusal(`expected another ${quote} to close this one`)
  return quoted.slice(1, -1).replace(/\\(['"\\])/g, '$1')
}

// Longer than any operator, and short enough to repeat in an error message.
const wordAt = /[\w-]{1,40}/y
const fieldAt = /[\p{L}\p{Nd}_.$@[\]-]+/uy
const spacesAt = / */y
const quotedAt = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'/y

/** The text of a filter, and the position of the reader. */
class FilterReader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get char(): string | undefined {
    return this.text[this.at]
  }

  take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [match = ''] = pattern.exec(this.text) ?? []
    this.at += match.length
    return match
  }

  skipSpaces(): this {
    this.take(spacesAt)
    return this
  }

  /** Counted from 1, in whole characters. */
  position(at = this.at): number {
    return [...this.text.slice(0, at)].length + 1
  }

  refusal(fault: string, at = this.at): Problem {
    return badFilter(`Could not parse the filter at character ${this.position(at)}: ${fault}.`)
  }
}

/**
 * The contents of a pair of parentheses, or of the whole filter: the complete alternatives, and the terms of the
 * current one.
 */
interface OpenGroup {
  readonly anyOf: Filter[]
  allOf: Filter[]
}

function badFilter(detail: string): Problem {
  return new Problem('bad_filter', detail, { source: 'filter' })
}
