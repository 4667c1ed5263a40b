import { importJob, RowFaults } from '../imports/index.ts'
import type { PimJob } from '../jobs/index.ts'
import { Problem, together } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { ownKept } from '../kernel/write/definitions.ts'
import { products } from '../products/index.ts'
import type { Locale } from './cell-values.ts'
import { type Column, columnsOf } from './columns.ts'
import { keepImages } from './images.ts'
import { type ImportRow, importRow } from './import-row.ts'
import { markRepeats, namedById, refusalOf, rowsById } from './row-keys.ts'
import { findTargets, type Targets, thoseApart } from './row-targets.ts'
import { type StagedRow, stagedRows, table } from './staged-rows.ts'
import { templateColumns } from './template-columns.ts'
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
      return stagedRows(work, importId, line, most)
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
  const columns = columnsOf(header)
  const read = staged.flatMap((row) => faults.attempt(row, () => readRow(columns, row)))
  // In the order that others lock them in: what is referred to before the products that refer to it.
  const part = {
    templates: await templateColumns(work, columns),
    own: await ownKept(work, products, []),
    images: await keepImages(work, read),
    columns: columns.length,
    locale,
    faults,
  }
  // Rows that touch each other's products come one after the other: of many, few are looked up again each time.
  for (let [rest, most] = [read, read.length]; rest.length; ) {
    const some = rest.slice(0, most)
    const found = await findTargets(work, some)
    const targets = columns.some(({ is }) => is === 'id') ? await withoutTwins(work, importId, found) : found
    const apart = thoseApart(some, targets)
    await writeRows(work, part, some.slice(0, apart), targets)
    rest = rest.slice(apart)
    most = 2 * apart
  }
  return faults.messages
}

function readRow(columns: readonly Column[], { number, cells, repeats }: StagedRow): ImportRow {
  if (repeats.length) throw together(repeats.map(refusalOf))
  return importRow(columns, number, cells)
}

/** Refuses rows that name by its `external_ref` a product that another row names by its id. */
async function withoutTwins(work: Work, importId: string, targets: Targets): Promise<Targets> {
  const byRef = [...targets].flatMap(([row, target]) =>
    row.id === undefined && target && !(target instanceof Problem) ? [[row, target.id] as const] : [],
  )
  const twins = await rowsById(
    work,
    importId,
    byRef.map(([, id]) => id),
  )
  const refused = byRef.flatMap(([row, id]) => {
    const twin = twins.get(id)
    return twin === undefined ? [] : [[row, namedById(twin)] as const]
  })
  return new Map([...targets, ...refused])
}

export const productImport = productImportOf(1000)
