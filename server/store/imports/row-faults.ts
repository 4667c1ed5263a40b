import { Problem, together } from '../../kernel/errors.ts'

/** A row of a file, by its number. */
export interface NumberedRow {
  readonly number: number
}

/** Collects the faults of rows, and writes the messages for people who edit the file. */
export class RowFaults {
  readonly #unit: 'row' | 'line'
  readonly #faults: { readonly number: number; readonly fault: Problem }[] = []

  /** Spreadsheets have rows with columns; text files have lines. */
  constructor(unit: 'row' | 'line') {
    this.#unit = unit
  }

  add({ number }: NumberedRow, fault: Problem): void {
    this.#faults.push(...fault.all.map((fault) => ({ number, fault })))
  }

  /** Returns the result of `read` in a list. Returns an empty list if `read` finds a fault. */
  attempt<T>(row: NumberedRow, read: () => T): T[] {
    try {
      return [read()]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.add(row, error)
      return []
    }
  }

  /** The messages, by row. */
  get messages(): string[] {
    return this.#sorted.map(({ number, fault }) => this.#message(number, fault))
  }

  /** Throws the faults of the first row that has any. */
  throwFirst(): void {
    const [first] = this.#sorted
    if (!first) return
    const faults = this.#faults.filter(({ number }) => number === first.number)
    throw together(
      faults.map(({ number, fault }) => new Problem('unprocessable', this.#message(number, fault))),
    )
  }

  get #sorted() {
    return this.#faults.toSorted((one, other) => one.number - other.number)
  }

  #message(number: number, fault: Problem): string {
    const source = fault.source && stripPath(fault.source)
    const message = stripPath(fault.message)
    const place = `${this.#unit} ${number}`
    if (this.#unit === 'row') {
      const isNamed = source && message.startsWith(source)
      const rest = isNamed ? message.slice(source.length).replace(/^:? /, '') : message
      return `${place}${source ? `, column ${source}` : ''}: ${rest}`
    }
    return `${place}: ${!source || message.includes(source) ? message : `${source}: ${message}`}`
  }
}

/** Names a member as the file does, without its path in a request body. */
const stripPath = (text: string): string =>
  text
    .replace(/^Validation failed: /, '')
    .replaceAll('data.attributes.', '')
    .replaceAll('data.attributes', 'attributes')
    .replace(/^data\./, '')
