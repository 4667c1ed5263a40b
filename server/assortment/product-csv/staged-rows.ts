import type { Readable } from 'node:stream'
import { Problem, together } from '../../kernel/errors.ts'
import { binaryArray } from '../../kernel/storage/binary-arrays.ts'
import { type Columns, columns, json, number } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import {
  CsvFault,
  CsvScanner,
  type Delimiter,
  EncodingFault,
  invalidFile,
  type NumberedRow,
  nameDelimiter,
  RowBatch,
  readText,
} from '../../store/index.ts'
import { normalizeName, type ProductColumn, requiredColumns, shorten } from './columns.ts'
import { findKeyColumns, type KeyColumns, listKeys, type Repeat } from './row-keys.ts'

export const table = 'product_import_rows'

/** How many bytes of cells are read at once. The first row is read whatever its size. */
const readBytesMax = 8 * 1024 * 1024

/** Stores the rows of a file while it arrives, after `columnsIn` has accepted the header. Returns the header. */
export async function stageRows(
  work: Work,
  importId: string,
  content: Readable,
  columnsIn: (header: readonly string[]) => Promise<readonly ProductColumn[]>,
): Promise<readonly string[]> {
  const scanner = new CsvScanner({ required: requiredColumns, columnKey: normalizeName })
  let header: readonly string[] | undefined
  let places: KeyColumns = new Map()
  const batch = new RowBatch<RowToStage>((rows) => storeRows(work, importId, rows))
  try {
    for await (const { row, cells } of readRows(scanner, content)) {
      if (!header && isDelimiterLine(cells)) continue
      if (header) {
        const own = trimEnd(cells, header.length)
        const text = JSON.stringify(own)
        await batch.add({ row, cells: text, keys: listKeys(places, own) }, text.length)
      } else {
        const names = trimEnd(cells, 0)
        header = names
        const columns = await columnsIn(names).catch((error) => {
          throw describeHeader(error, names, scanner.delimiter)
        })
        places = findKeyColumns(columns)
      }
    }
    await batch.flush()
  } catch (error) {
    throw toProblem(error, scanner, header)
  }
  if (!header) throw invalidFile('The file is empty. Its first row must be the header.')
  return header
}

async function* readRows(scanner: CsvScanner, content: Readable) {
  let isFirst = true
  for await (const text of readText(content)) {
    if (isFirst && text.startsWith(zipMagic)) {
      throw invalidFile(
        'The file is a workbook or another zip file, not CSV. In the spreadsheet, save it as "CSV UTF-8".',
      )
    }
    isFirst = false
    yield* scanner.read(text)
  }
  yield* scanner.end()
}

/** Workbooks (xlsx, ods) are zip files. */
const zipMagic = 'PK\u0003\u0004'

/** A first line `sep=;` tells Excel the delimiter. The scanner has already detected it. */
const isDelimiterLine = ([first, second, ...others]: readonly string[]): boolean =>
  first?.toLowerCase() === 'sep=' && second === '' && !others.length

/** Spreadsheets write empty cells up to the last column that was ever formatted. */
function trimEnd(cells: readonly string[], least: number): readonly string[] {
  let end = cells.length
  while (end > least && !cells[end - 1]?.trim()) end -= 1
  return end < cells.length ? cells.slice(0, end) : cells
}

/** Adds to the refusal of a header how it was read. */
function describeHeader(error: unknown, header: readonly string[], delimiter: Delimiter = ','): unknown {
  if (!(error instanceof Problem)) return error
  const [first, ...others] = error.all
  const columns = header.length === 1 ? 'one column' : `${header.length} columns`
  const read = `The header was read as ${columns}, separated by ${nameDelimiter(delimiter)}: ${shorten(header.join(' | '))}`
  const detail = first?.detail?.replace(/\.$/, '')
  return together([invalidFile(`${detail}. ${read}.`), ...others])
}

/** The refusal of a file that cannot be read, with the place. */
function toProblem(error: unknown, scanner: CsvScanner, header: readonly string[] | undefined): unknown {
  const at = (row: number, cell: number | undefined) => {
    if (cell === undefined) return `row ${row}`
    return `row ${row}, column ${shorten(header?.[cell] ?? String(cell + 1))}`
  }
  if (error instanceof CsvFault) {
    const { row, cell, message } = error
    return invalidFile(
      cell === undefined ? `${at(row, cell)}: ${message}` : `${at(row, cell)}: the cell ${message}`,
    )
  }
  if (!(error instanceof EncodingFault)) return error
  const { row, cell } = scanner.place
  return invalidFile(`${at(row, cell)}: ${error.message} In a spreadsheet, choose the file type "CSV UTF-8".`)
}

/** A row of the table of staged rows. */
interface RowToStage {
  readonly row: number
  readonly cells: string
  readonly keys: readonly string[]
}

async function storeRows(
  { store, clock }: Work,
  importId: string,
  rows: readonly RowToStage[],
): Promise<void> {
  await store.runLong(
    `INSERT INTO ${table} (store_id, import_id, received_at, line, cells, keys)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, line, cells, string_to_array(keys, ' ')
     FROM unnest($4::int[], $5::json[], $6::text[]) AS input (line, cells, keys)`,
    importId,
    clock.now(),
    binaryArray(
      'int4',
      rows.map(({ row }) => row),
    ),
    binaryArray(
      'json',
      rows.map(({ cells }) => cells),
    ),
    binaryArray(
      'text',
      rows.map(({ keys }) => keys.join(' ')),
    ),
  )
}

export interface StagedRow extends NumberedRow {
  readonly cells: readonly string[]
  /** The keys that earlier rows have too. */
  readonly repeats: readonly Repeat[]
}

const stagedColumns: Columns<StagedRow> = columns({
  number: ['line', number],
  cells: ['cells', json<string[]>],
  repeats: ["coalesce(repeats, '[]')", json<Repeat[]>],
})

/** Reads the next rows after a row. */
export async function readStagedRows(
  { store }: Work,
  importId: string,
  behind: number,
  most: number,
): Promise<readonly StagedRow[]> {
  const rows = await store.run(
    `SELECT ${stagedColumns.sql} FROM (
       SELECT line, cells, repeats, sum(octet_length(cells::text)) OVER (ORDER BY line) - octet_length(cells::text) AS before
       FROM (
         SELECT line, cells, repeats FROM ${table}
         WHERE store_id = $1 AND import_id = $2 AND line > $3 ORDER BY line LIMIT $4
       ) next
     ) sized WHERE before < $5 ORDER BY line`,
    importId,
    behind,
    most,
    readBytesMax,
  )
  return rows.map(stagedColumns.read)
}

/** Counts the rows of a file. */
export async function countStaged({ store }: Work, importId: string): Promise<number> {
  const [row] = await store.read(
    `SELECT count(*) FROM ${table} WHERE store_id = $1 AND import_id = $2`,
    importId,
  )
  return Number(row?.[0])
}
