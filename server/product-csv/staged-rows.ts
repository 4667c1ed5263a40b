import type { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { rowsMax } from './file-limits.ts'

/** Rows of a file that wait to be imported. */

/** As many as are stored in one statement: so many rows, or so many characters. */
const perStatement = { rows: 1000, characters: 1_000_000 }

/** As long as a row may be, in bytes. */
const rowBytesMax = 2 * 1024 * 1024

type Cells = readonly string[]

/** How many lines of the file a row is on. */
const linesOf = (cells: Cells): number =>
  cells.reduce((lines, cell) => lines + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 1)

const isEmptyLine = (cells: Cells): boolean => cells.length === 1 && cells[0] === ''

/** Stores the rows of a file as it comes. Its header is handed to `check` first, and returned. */
export async function stageRows(
  work: Work,
  importId: string,
  content: Readable,
  check: (header: readonly string[]) => Promise<unknown>,
): Promise<readonly string[]> {
  let header: readonly string[] | undefined
  const rows = parse({
    bom: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: rowBytesMax,
  })
  // Not a pipeline: what is wrong with the CSV would be told as what is wrong with the form.
  content.once('error', (error) => rows.destroy(error)).pipe(rows)
  const waiting = new Batch(work, importId)
  let line = 1
  let count = 0
  try {
    for await (const cells of rows as AsyncIterable<Cells>) {
      const begins = line
      line += linesOf(cells)
      if (isEmptyLine(cells)) continue
      if (++count > rowsMax) throw refuse(`The file has more than ${rowsMax} rows, its header included.`)
      if (header) {
        await waiting.add(begins, cells)
      } else {
        await check(cells)
        header = cells
      }
    }
    await waiting.store()
  } catch (error) {
    throw isOfParser(error) ? refuse(`The file is no CSV: ${error.message}.`) : error
  }
  if (!header) throw refuse('The file is empty: its first row is the header.')
  return header
}

const refuse = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

const isOfParser = (error: unknown): error is CsvError =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('CSV_')

class Batch {
  readonly #work: Work
  readonly #importId: string
  #lines: number[] = []
  #cells: string[] = []
  #characters = 0

  constructor(work: Work, importId: string) {
    this.#work = work
    this.#importId = importId
  }

  async add(line: number, row: Cells): Promise<void> {
    const cells = JSON.stringify(row)
    this.#lines.push(line)
    this.#cells.push(cells)
    this.#characters += cells.length
    if (this.#lines.length >= perStatement.rows || this.#characters >= perStatement.characters)
      await this.store()
  }

  async store(): Promise<void> {
    if (!this.#lines.length) return
    const { store, clock } = this.#work
    await store.bulk(
      `INSERT INTO product_import_rows (store_id, import_id, received_at, line, cells)
       SELECT $1::uuid, $2::uuid, $3::timestamptz, line, cells FROM unnest($4::int[], $5::json[]) AS given (line, cells)`,
      this.#importId,
      clock.now(),
      this.#lines,
      this.#cells,
    )
    this.#lines = []
    this.#cells = []
    this.#characters = 0
  }
}

/** Some rows behind a line, and how many there are in all. */
export async function stagedRows(
  { store }: Work,
  importId: string,
  behind: number,
  most: number,
): Promise<readonly { readonly line: number; readonly cells: readonly string[] }[]> {
  const rows = await store.rows(
    `SELECT line, cells FROM product_import_rows WHERE store_id = $1 AND import_id = $2 AND line > $3
     ORDER BY line LIMIT $4`,
    importId,
    behind,
    most,
  )
  return rows.map(([line, cells]) => ({ line: Number(line), cells: JSON.parse(cells as string) as string[] }))
}

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
