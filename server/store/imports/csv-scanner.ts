import { chooseDelimiter, type Delimiter, delimiters, type HeaderNames } from './delimiters.ts'
import { columnsMax, rowCharactersMax, rowsMax } from './file-limits.ts'

/** A row and its number as in a spreadsheet: the first is 1, and a cell with line ends is part of one row. */
export interface CsvRow {
  readonly row: number
  readonly cells: readonly string[]
}

/** The file is not CSV, or larger than a file may be. */
export class CsvFault extends Error {
  readonly row: number
  /** The number of the cell in its row, from 0; undefined if the fault is of the whole row. */
  readonly cell: number | undefined

  constructor(message: string, row: number, cell?: number) {
    super(message)
    this.row = row
    this.cell = cell
  }
}

const codes = { quote: 34, cr: 13, lf: 10 }
const delimiterCodes = delimiters.map((one) => one.charCodeAt(0))

/**
 * Reads CSV (RFC 4180) row by row while it arrives. It holds at most one row, and checks the limits before it does. The
 * header is the first row that is not empty, and decides the delimiter. A quote inside a cell that does not begin with
 * a quote is an ordinary character: spreadsheets write and read `Pan 10" deep` so.
 */
export class CsvScanner {
  readonly #names: HeaderNames
  #delimiter: Delimiter | undefined
  #state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin'
  #row = 1
  #cells: string[] = []
  #separators: Delimiter[] = []
  #cell = ''
  #characters = 0
  #afterCr = false

  constructor(names: HeaderNames) {
    this.#names = names
  }

  /** Undefined until the header is read. */
  get delimiter(): Delimiter | undefined {
    return this.#delimiter
  }

  /** The place of the next character. */
  get place(): { readonly row: number; readonly cell: number } {
    return { row: this.#row, cell: this.#cells.length }
  }

  /** Yields the rows that end in this text, except empty ones. */
  *read(text: string): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const isSecondHalf = this.#afterCr && code === codes.lf
      this.#afterCr = false
      if (isSecondHalf) {
        at += 1
      } else if (this.#state === 'quoted') {
        const end = text.indexOf('"', at)
        this.#add(text.slice(at, end < 0 ? text.length : end))
        at = end < 0 ? text.length : end + 1
        if (end >= 0) this.#state = 'closed'
      } else if (code === codes.cr || code === codes.lf) {
        this.#afterCr = code === codes.cr
        at += 1
        const row = this.#endRow()
        if (row) yield row
      } else if (this.#isDelimiter(code)) {
        this.#endCell(text[at] as Delimiter)
        at += 1
      } else if (code === codes.quote && this.#state !== 'plain') {
        if (this.#state === 'closed') this.#add('"')
        this.#state = 'quoted'
        at += 1
      } else {
        if (this.#state === 'closed')
          throw this.#fault('has text after its closing quote. Write "" for a quote inside a quoted cell.')
        this.#state = 'plain'
        const end = this.#endOfPlain(text, at)
        this.#add(text.slice(at, end))
        at = end
      }
    }
  }

  /** Yields the last row, if no line end followed it. */
  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted') throw this.#fault('has an opening quote without a closing one.')
    if (this.#state === 'begin' && !this.#cells.length) return
    const row = this.#endRow()
    if (row) yield row
  }

  #fault = (message: string): CsvFault => new CsvFault(message, this.#row, this.#cells.length)

  #isDelimiter(code: number): boolean {
    return this.#delimiter ? code === this.#delimiter.charCodeAt(0) : delimiterCodes.includes(code)
  }

  #endOfPlain(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === codes.lf || code === codes.cr || this.#isDelimiter(code)) return at
    }
    return text.length
  }

  #add(part: string): void {
    this.#count(part.length)
    this.#cell += part
  }

  #count(characters: number): void {
    if (this.#row > rowsMax) {
      throw new CsvFault(
        `The file has more than ${rowsMax} rows, including its header and empty rows.`,
        this.#row,
      )
    }
    this.#characters += characters
    if (this.#characters <= rowCharactersMax) return
    const hint = this.#state === 'quoted' ? ' This row has an opening quote without a closing one.' : ''
    throw new CsvFault(`A row must have at most ${rowCharactersMax} characters.${hint}`, this.#row)
  }

  #endCell(separator: Delimiter): void {
    this.#count(1)
    this.#closeCell()
    if (!this.#delimiter) this.#separators.push(separator)
    if (this.#cells.length < columnsMax) return
    throw new CsvFault(`A row must have at most ${columnsMax} cells.`, this.#row)
  }

  #closeCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'begin'
  }

  /** Ends the row, and returns it unless it is empty. Nobody sees white space in a cell of a spreadsheet. */
  #endRow(): CsvRow | undefined {
    this.#count(1)
    this.#closeCell()
    const row = { row: this.#row, cells: this.#cells }
    const separators = this.#separators
    this.#row += 1
    this.#characters = 0
    this.#cells = []
    this.#separators = []
    if (row.cells.every((cell) => cell.trim() === '')) return undefined
    if (this.#delimiter) return row
    const { delimiter, cells } = chooseDelimiter({ parts: row.cells, separators }, this.#names)
    this.#delimiter = delimiter
    return { ...row, cells }
  }
}
