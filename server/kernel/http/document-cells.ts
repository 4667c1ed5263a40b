import type { CellPath } from './csv-line.ts'

/** How the value of a column is written in a document. */
type CellForm =
  /** There is none. */
  | 'none'
  /** A text, and its bytes are those of the cell. */
  | 'text'
  /** A text whose cell is quoted, and its bytes are those between the quotes. */
  | 'quoted'
  /** `true`, `false`, or a whole number that JSON writes in the same way. */
  | 'literal'
  /** Anything else: its JSON has to be parsed. */
  | 'json'

/** The value of a column in the bytes of a document. */
export interface Cell {
  form: CellForm
  from: number
  to: number
}

/** A member of documents: the value of a column, or an object with more of them, or either. */
interface WantedMember {
  readonly name: Buffer
  cell?: Cell
  readonly members: WantedMember[]
  readonly byName: Map<string, WantedMember>
}

const memberOf = (name: string): WantedMember => ({ name: Buffer.from(name), members: [], byName: new Map() })

const [quote, comma, minus, zero, nine] = [34, 44, 45, 48, 57]
const [colon, semicolon, bracket, backslash, bracketEnd, brace, braceEnd] = [58, 59, 91, 92, 93, 123, 125]
const space = 32

/** No double has more digits that are all its own. */
const digitsMax = 15

/**
 * Finds the values of columns in JSON objects without parsing them: most values are written in a file as they are
 * stored. The JSON must be valid.
 */
export class DocumentCells {
  /** The cells of the last document, in the order of the columns. */
  readonly cells: readonly Readonly<Cell>[]
  readonly #root = memberOf('')
  #bytes: Buffer = Buffer.alloc(0)
  #end = 0
  #form: CellForm = 'none'

  constructor(columns: readonly CellPath[]) {
    this.cells = columns.map((path) => {
      let member = this.#root
      for (const name of path) {
        const key = Buffer.from(name).toString('latin1')
        const next = member.byName.get(key) ?? memberOf(name)
        if (!member.byName.has(key)) member.members.push(next)
        member.byName.set(key, next)
        member = next
      }
      member.cell = { form: 'none', from: 0, to: 0 }
      return member.cell
    })
  }

  /** Finds the values of the object that these bytes are. */
  find(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes
    this.#end = to
    this.#value(this.#gap(from), this.#root)
  }

  /** Reads the value of a member. Returns where it ends. */
  #value(from: number, member: WantedMember): number {
    const { cell } = member
    if (member.members.length) {
      // A later member of the same name counts, with all that is in it.
      for (const one of member.members) forget(one)
      if (this.#bytes[from] === brace) {
        const to = this.#object(from + 1, member)
        if (cell) setCell(cell, 'json', from, to)
        return to
      }
    }
    const to = this.#skip(from)
    if (cell) {
      const inner = this.#form === 'text' || this.#form === 'quoted' ? 1 : 0
      setCell(cell, this.#form, from + inner, to - inner)
    }
    return to
  }

  /** Reads the members of an object from behind its brace. Returns where it ends. */
  #object(start: number, { members, byName }: WantedMember): number {
    let expected = 0
    let at = this.#gap(start)
    while (at < this.#end && this.#bytes[at] !== braceEnd) {
      const keyEnd = this.#text(at)
      let member = members[expected]
      // The members of most documents have the order of the columns.
      if (!member || this.#form === 'json' || !this.#isName(member.name, at + 1, keyEnd - 1)) {
        member = byName.get(this.#nameIn(at, keyEnd))
        if (member) expected = members.indexOf(member)
      }
      at = this.#gap(keyEnd)
      if (this.#bytes[at] === colon) at = this.#gap(at + 1)
      if (member) {
        at = this.#value(at, member)
        expected += 1
      } else at = this.#skip(at)
      at = this.#gap(at)
      if (this.#bytes[at] === comma) at = this.#gap(at + 1)
    }
    return at + 1
  }

  #isName(name: Buffer, from: number, to: number): boolean {
    if (name.length !== to - from) return false
    for (let i = 0; i < name.length; i++) if (name[i] !== this.#bytes[from + i]) return false
    return true
  }

  #nameIn(from: number, to: number): string {
    if (this.#form !== 'json') return this.#bytes.toString('latin1', from + 1, to - 1)
    return Buffer.from(JSON.parse(this.#bytes.toString('utf8', from, to)) as string).toString('latin1')
  }

  /** The next byte that is no white space. */
  #gap(from: number): number {
    let at = from
    while (at < this.#end && (this.#bytes[at] as number) <= space) at++
    return at
  }

  /** Returns where a value ends, and sets its form. */
  #skip(from: number): number {
    const first = this.#bytes[from] as number
    if (first === quote) return this.#text(from)
    if (first === brace || first === bracket) return this.#nested(from)
    return this.#scalar(from, first)
  }

  #text(from: number): number {
    const bytes = this.#bytes
    let form: CellForm = 'text'
    let at = from + 1
    for (; at < this.#end; at++) {
      const byte = bytes[at] as number
      if (byte === quote) break
      if (byte === backslash) {
        form = 'json'
        at++
      } else if ((byte === comma || byte === semicolon) && form === 'text') form = 'quoted'
    }
    // An empty text is not the same as none.
    this.#form = at === from + 1 ? 'quoted' : form
    return at + 1
  }

  #nested(from: number): number {
    let depth = 0
    let at = from
    while (at < this.#end) {
      const byte = this.#bytes[at] as number
      if (byte === quote) {
        at = this.#text(at)
        continue
      }
      at++
      if (byte === brace || byte === bracket) depth++
      else if ((byte === braceEnd || byte === bracketEnd) && --depth === 0) break
    }
    this.#form = 'json'
    return at
  }

  #scalar(from: number, first: number): number {
    let at = from
    let isWhole = first === minus || (first >= zero && first <= nine)
    for (; at < this.#end; at++) {
      const byte = this.#bytes[at] as number
      if (byte === comma || byte === braceEnd || byte === bracketEnd || byte <= space) break
      if (at > from && (byte < zero || byte > nine)) isWhole = false
    }
    // The number -0 is written as 0.
    const isPlain = isWhole && at - from <= digitsMax && !(first === minus && this.#bytes[from + 1] === zero)
    this.#form = first === n ? 'none' : first === t || first === f || isPlain ? 'literal' : 'json'
    return at
  }
}

const [f, n, t] = [102, 110, 116]

function setCell(cell: Cell, form: CellForm, from: number, to: number): void {
  cell.form = form
  cell.from = from
  cell.to = to
}

function forget({ cell, members }: WantedMember): void {
  if (cell) cell.form = 'none'
  for (const member of members) forget(member)
}
