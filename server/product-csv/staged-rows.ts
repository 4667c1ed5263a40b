import type { Readable } from 'node:stream'
import { Problem, together } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { EncodingFault, readText } from '../kernel/write/read-text.ts'
import { type Column, shown } from './columns.ts'
import { CsvFault, CsvScanner } from './csv-scanner.ts'
import { type Delimiter, delimiterNoun } from './delimiters.ts'
import { type KeyPlaces, keyPlacesOf, keysOfRow, type Repeat } from './row-keys.ts'

/** Rows of a file that wait to be imported. */

/** As many as are stored in one statement: so many rows, or so many characters. */
const perStatement = { rows: 1000, characters: 1_000_000 }

/** As many as are read at once, at most: so many bytes of cells. The first one is read whatever its size. */
const readBytesMax = 8 * 1024 * 1024

/** Stores the rows of a file as it arrives. Its header is handed to `columnsIn` first, and returned. */
export async function stageRows(
  work: Work,
  importId: string,
  content: Readable,
  columnsIn: (header: readonly string[]) => Promise<readonly Column[]>,
): Promise<readonly string[]> {
  const scanner = new CsvScanner()
  let header: readonly string[] | undefined
  let batch: Batch | undefined
  try {
    for await (const { row, cells } of rowsOf(scanner, content)) {
      if (!header && saysDelimiter(cells)) continue
      if (header) {
        await batch?.add(row, withoutBlankEnd(cells, header.length))
      } else {
        const names = withoutBlankEnd(cells, 0)
        header = names
        const columns = await columnsIn(names).catch((error) => {
          throw withHeader(error, names, scanner.delimiter)
        })
        batch = new Batch(work, importId, keyPlacesOf(columns))
      }
    }
    await batch?.store()
  } catch (error) {
    throw asProblem(error, scanner, header)
  }
  if (!header) throw refuse('The file is empty: its first row must be the header.')
  return header
}

async function* rowsOf(scanner: CsvScanner, content: Readable) {
  let isFirst = true
  for await (const text of readText(content)) {
    if (isFirst && text.startsWith(zipBegins)) {
      throw refuse(
        'The file is a workbook or another zip file, not CSV. In the spreadsheet, save it as "CSV UTF-8".',
      )
    }
    isFirst = false
    yield* scanner.read(text)
  }
  yield* scanner.end()
}

/** Workbooks (xlsx, ods) are zip files. */
const zipBegins = 'PK\u0003\u0004'

/** A first line `sep=;` tells Excel the delimiter. The scanner has found it: nothing else is on the line. */
const saysDelimiter = ([first, second, ...others]: readonly string[]): boolean =>
  first?.toLowerCase() === 'sep=' && second === '' && !others.length

/** Spreadsheets write empty cells up to the last column that anyone has ever formatted. */
function withoutBlankEnd(cells: readonly string[], least: number): readonly string[] {
  let end = cells.length
  while (end > least && !cells[end - 1]?.trim()) end -= 1
  return end < cells.length ? cells.slice(0, end) : cells
}

const refuse = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

/** What is wrong with a header, and how it was read. */
function withHeader(error: unknown, header: readonly string[], delimiter: Delimiter = ','): unknown {
  if (!(error instanceof Problem)) return error
  const [first, ...others] = error.all
  const columns = header.length === 1 ? 'one column' : `${header.length} columns`
  const read = `The header was read as ${columns}, separated by ${delimiterNoun(delimiter)}: ${shown(header.join(' | '))}`
  const detail = first?.detail?.replace(/\.$/, '')
  return together([refuse(`${detail}. ${read}.`), ...others])
}

/** A file that cannot be read, and where. */
function asProblem(error: unknown, scanner: CsvScanner, header: readonly string[] | undefined): unknown {
  const at = (row: number, cell: number | undefined) => {
    if (cell === undefined) return `row ${row}`
    return `row ${row}, column ${shown(header?.[cell] ?? String(cell + 1))}`
  }
  if (error instanceof CsvFault) {
    const { row, cell, message } = error
    return refuse(
      cell === undefined ? `${at(row, cell)}: ${message}` : `${at(row, cell)}: the cell ${message}`,
    )
  }
  if (!(error instanceof EncodingFault)) return error
  const { row, cell } = scanner.place
  return refuse(`${at(row, cell)}: ${error.message} In a spreadsheet, choose the type "CSV UTF-8".`)
}

class Batch {
  readonly #work: Work
  readonly #importId: string
  readonly #places: KeyPlaces
  #rows: { readonly row: number; readonly cells: string; readonly keys: readonly string[] }[] = []
  #characters = 0

  constructor(work: Work, importId: string, places: KeyPlaces) {
    this.#work = work
    this.#importId = importId
    this.#places = places
  }

  async add(row: number, cells: readonly string[]): Promise<void> {
    const text = JSON.stringify(cells)
    this.#rows.push({ row, cells: text, keys: keysOfRow(this.#places, cells) })
    this.#characters += text.length
    if (this.#rows.length >= perStatement.rows || this.#characters >= perStatement.characters)
      await this.store()
  }

  async store(): Promise<void> {
    if (!this.#rows.length) return
    const { store, clock } = this.#work
    await store.bulk(
      `INSERT INTO product_import_rows (store_id, import_id, received_at, line, cells, keys)
       SELECT $1::uuid, $2::uuid, $3::timestamptz, line, cells, string_to_array(keys, ' ')
       FROM unnest($4::int[], $5::json[], $6::text[]) AS given (line, cells, keys)`,
      this.#importId,
      clock.now(),
      this.#rows.map(({ row }) => row),
      this.#rows.map(({ cells }) => cells),
      this.#rows.map(({ keys }) => keys.join(' ')),
    )
    this.#rows = []
    this.#characters = 0
  }
}

export interface StagedRow {
  /** Its number, as a spreadsheet counts. */
  readonly number: number
  readonly cells: readonly string[]
  /** The keys that earlier rows have. */
  readonly repeats: readonly Repeat[]
}

/** Some rows behind one. */
export async function stagedRows(
  { store }: Work,
  importId: string,
  behind: number,
  most: number,
): Promise<readonly StagedRow[]> {
  const rows = await store.rows(
    `SELECT line, cells, repeats FROM (
       SELECT line, cells, repeats, sum(octet_length(cells::text)) OVER (ORDER BY line) - octet_length(cells::text) AS before
       FROM (
         SELECT line, cells, repeats FROM product_import_rows
         WHERE store_id = $1 AND import_id = $2 AND line > $3 ORDER BY line LIMIT $4
       ) next
     ) sized WHERE before < $5 ORDER BY line`,
    importId,
    behind,
    most,
    readBytesMax,
  )
  return rows.map(([line, cells, repeats]) => ({
    number: Number(line),
    cells: JSON.parse(cells as string) as string[],
    repeats: repeats === null ? [] : (JSON.parse(repeats as string) as Repeat[]),
  }))
}

/** How many there are in all. */
export async function stagedCount({ store }: Work, importId: string): Promise<number> {
  const [row] = await store.glance(
    'SELECT count(*) FROM product_import_rows WHERE store_id = $1 AND import_id = $2',
    importId,
  )
  return Number(row?.[0])
}

export async function dropStaged({ store }: Work, importId: string): Promise<void> {
  await store.bulk('DELETE FROM product_import_rows WHERE store_id = $1 AND import_id = $2', importId)
}
