import { Problem, together } from '../kernel/errors.ts'

/** A row of a file, by its number. */
export interface NumberedRow {
  readonly number: number
}

/** Collects the faults of rows, and words them for people who look into the file. */
export class RowFaults {
  readonly #unit: 'row' | 'line'
  readonly #faults: { readonly number: number; readonly fault: Problem }[] = []

  /** A row has columns; a line has members. */
  constructor(unit: 'row' | 'line') {
    this.#unit = unit
  }

  add({ number }: NumberedRow, fault: Problem): void {
    this.#faults.push(...fault.all.map((fault) => ({ number, fault })))
  }

  /** The result of `read`, in a list; an empty list if it finds a fault. */
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
    const source = fault.source && plain(fault.source)
    const message = plain(fault.message)
    const place = `${this.#unit} ${number}`
    if (this.#unit === 'row') {
      const isNamed = source && message.startsWith(source)
      const rest = isNamed ? message.slice(source.length).replace(/^:? /, '') : message
      return `${place}${source ? `, column ${source}` : ''}: ${rest}`
    }
    return `${place}: ${!source || message.includes(source) ? message : `${source}: ${message}`}`
  }
}

/** Names members as the file does: without their place in a request's body. */
const plain = (text: string): string =>
  text
    .replace(/^Validation failed: /, '')
    .replaceAll('data.attributes.', '')
    .replaceAll('data.attributes', 'attributes')
    .replace(/^data\./, '')
