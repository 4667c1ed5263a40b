/** What a list is exported as. */
export type LineFormat = 'csv' | 'ndjson'

export const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

const lineFeed = 0x0a
const quote = 0x22

/** Finds the ends of objects in the bytes of an export, as they arrive. */
export class LineCounter {
  /** How many whole lines there were, without the header of CSV. */
  lines = 0
  /** Where the last whole line begins and ends, and the first one ends, in all bytes. */
  lastStart = 0
  lastEnd = 0
  firstEnd = 0
  #bytes = 0
  #isQuoted = false
  readonly #format: LineFormat

  constructor(format: LineFormat) {
    this.#format = format
    this.lines = format === 'csv' ? -1 : 0
  }

  add(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      // A value of CSV may hold ends of lines. A quote in a value is two, which changes nothing here.
      if (byte === quote && this.#format === 'csv') this.#isQuoted = !this.#isQuoted
      else if (byte === lineFeed && !this.#isQuoted) this.#end(this.#bytes + i + 1)
    }
    this.#bytes += chunk.length
  }

  #end(at: number): void {
    this.lines++
    if (this.firstEnd === 0) this.firstEnd = at
    this.lastStart = this.lastEnd
    this.lastEnd = at
  }
}

/** The cells of one line of CSV. */
export const cellsOf = (line: string): readonly string[] =>
  [...line.replace(/\r?\n$/, '').matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )

/** The id of the object on a line. */
export function idOnLine(format: LineFormat, header: string, line: string): string | undefined {
  if (format === 'csv') return cellsOf(line)[cellsOf(header).indexOf('id')]
  const { id } = JSON.parse(line) as { readonly id?: unknown }
  return typeof id === 'string' ? id : undefined
}
