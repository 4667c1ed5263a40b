import { Problem, together } from '../../kernel/errors.ts'
import { lockedDefinition } from '../../kernel/query/definitions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { importJob, type PimJob, RowFaults } from '../../store/index.ts'
import { products } from '../products/products.ts'
import type { Locale } from './cell-values.ts'
import { type ProductColumn, parseHeader } from './columns.ts'
import { lockImages } from './images.ts'
import { type ImportRow, parseRow } from './import-row.ts'
import { findRowsById, markRepeats, repeatProblem, twinProblem } from './row-keys.ts'
import { countIndependent, findTargets, type RowTargets } from './row-targets.ts'
import { readStagedRows, type StagedRow, table } from './staged-rows.ts'
import { findTemplateColumns } from './template-columns.ts'
import { writeRows } from './write-rows.ts'

interface ProductImport {
  readonly importId: string
  readonly header: readonly string[]
  /** How many rows the file has. */
  readonly rows: number
  readonly locale: Locale | undefined
}

/** How many cells of a wide file are in memory at a time. */
const cellsPerPart = 50_000

const headerPlace = { line: 1 }

/** Creates and updates the products of rows, each by the rules of a request. A row with faults keeps no other out. */
export const productImportOf = (rowsPerPart: number): PimJob<ProductImport> =>
  importJob<ProductImport, StagedRow, { readonly line: number }>({
    type: 'product-import',
    table,
    totalOf: ({ rows }) => rows,
    async check(work, { importId }) {
      await markRepeats(work, importId)
      return []
    },
    read: (work, { importId, header }, { line } = headerPlace) => {
      const most = Math.max(1, Math.min(rowsPerPart, Math.floor(cellsPerPart / header.length)))
      return readStagedRows(work, importId, line, most)
    },
    placeOf: ({ number }) => ({ line: number }),
    write: async (work, payload, rows) => ({ errors: await importRows(work, payload, rows) }),
  })

/** Imports rows in their order, and returns the messages of those that failed. */
async function importRows(
  work: Work,
  { importId, header, locale }: ProductImport,
  staged: readonly StagedRow[],
): Promise<readonly string[]> {
  const faults = new RowFaults('row')
  const columns = parseHeader(header)
  const read = staged.flatMap((row) => faults.attempt(row, () => readRow(columns, row)))
  // Every writer locks in this order: first what products refer to, then the products.
  const part = {
    templates: await findTemplateColumns(work, columns),
    own: await lockedDefinition(work, products, []),
    images: await lockImages(work, read),
    columns: columns.length,
    locale,
    faults,
  }
  // Rows that share a unique value are written one after the other. The limit keeps repeated look-ups few.
  for (let [rest, most] = [read, read.length]; rest.length; ) {
    const some = rest.slice(0, most)
    const targetsOfRows = await findTargets(work, some)
    const targets = columns.some(({ is }) => is === 'id')
      ? await refuseTwins(work, importId, targetsOfRows)
      : targetsOfRows
    const apart = countIndependent(some, targets)
    await writeRows(work, part, some.slice(0, apart), targets)
    rest = rest.slice(apart)
    most = 2 * apart
  }
  return faults.messages
}

function readRow(columns: readonly ProductColumn[], { number, cells, repeats }: StagedRow): ImportRow {
  if (repeats.length) throw together(repeats.map(repeatProblem))
  return parseRow(columns, number, cells)
}

/** Refuses a row that names a product by `external_ref` if another row names the same product by id. */
async function refuseTwins(work: Work, importId: string, targets: RowTargets): Promise<RowTargets> {
  const byRef = [...targets].flatMap(([row, target]) =>
    row.id === undefined && target && !(target instanceof Problem) ? [[row, target.id] as const] : [],
  )
  const twins = await findRowsById(
    work,
    importId,
    byRef.map(([, id]) => id),
  )
  const refused = byRef.flatMap(([row, id]) => {
    const twin = twins.get(id)
    return twin === undefined ? [] : [[row, twinProblem(twin)] as const]
  })
  return new Map([...targets, ...refused])
}

export const productImport = productImportOf(1000)
