import { type PimJob, pimJob } from '../jobs/index.ts'
import { Problem, together } from '../kernel/errors.ts'
import { ownKept } from '../kernel/shape/added-fields.ts'
import type { Work } from '../kernel/work/context.ts'
import { products } from '../products/index.ts'
import type { Locale } from './cell-values.ts'
import { type Column, columnsOf } from './columns.ts'
import { keepImages } from './images.ts'
import { type ImportRow, importRow } from './import-row.ts'
import { markRepeats, namedById, refusalOf, rowsById } from './row-keys.ts'
import { attempt, type Fail, findTargets, type Targets, thoseApart } from './row-targets.ts'
import { dropStaged, type StagedRow, stagedRows } from './staged-rows.ts'
import { templateColumns } from './template-columns.ts'
import { writeRows } from './write-rows.ts'

interface Asked {
  readonly importId: string
  readonly header: readonly string[]
  /** How many there are in all. */
  readonly rows: number
  readonly locale: Locale | undefined
}

/** How far it is: the row that was the last, and how many rows that were. */
interface State {
  readonly line: number
  readonly done: number
}

/** As many cells as one part of a wide file has in memory. */
const cellsPerPart = 50_000

/** Makes products of the rows of a file. Each is written by the rules of a request; those that fail are told. */
export const productImportOf = (rowsPerPart: number): PimJob<Asked> =>
  pimJob<Asked, State>({
    type: 'product-import',
    async run(work, { payload: asked, state }) {
      const { importId, rows: of, header } = asked
      if (!state) await markRepeats(work, importId)
      const { line, done: before } = state ?? { line: 1, done: 0 }
      const most = Math.max(1, Math.min(rowsPerPart, Math.floor(cellsPerPart / header.length)))
      const staged = await stagedRows(work, importId, line, most)
      const errors = await importRows(work, asked, staged)
      const done = before + staged.length
      const told = { progress: { done, of } }
      const last = staged.at(-1)
      if (last && done < of) return { next: { line: last.number, done }, errors, told }
      await dropStaged(work, importId)
      return { errors, told }
    },
  })

/** Imports rows in their order; why those failed that did. */
async function importRows(
  work: Work,
  { importId, header, locale }: Asked,
  staged: readonly StagedRow[],
): Promise<string[]> {
  const errors: { readonly row: number; readonly message: string }[] = []
  const fail: Fail = ({ number }, error) => {
    for (const message of messagesOf(number, error)) errors.push({ row: number, message })
  }
  const columns = columnsOf(header)
  const read = staged.flatMap((row) => attempt(() => readRow(columns, row), row, fail))
  // In the order that others lock them in: what is referred to before the products that refer to it.
  const part = {
    templates: await templateColumns(work, columns),
    own: await ownKept(work, products, []),
    images: await keepImages(work, read),
    columns: columns.length,
    locale,
    fail,
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
  return errors.toSorted((one, other) => one.row - other.row).map(({ message }) => message)
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

/** What is wrong with a row, each fault with its column: columns are named as members of a request's attributes. */
function messagesOf(row: number, error: unknown): readonly string[] {
  if (!(error instanceof Problem)) throw error
  const plain = (text: string) =>
    text
      .replace(/^Validation failed: /, '')
      .replaceAll('data.attributes.', '')
      .replace(/^data\./, '')
  return error.all.map((fault) => {
    const column = fault.source && plain(fault.source)
    const message = plain(fault.message)
    const withoutColumn =
      column && message.startsWith(column) ? message.slice(column.length).replace(/^:? /, '') : message
    return `row ${row}${column ? `, column ${column}` : ''}: ${withoutColumn}`
  })
}

export const productImport = productImportOf(1000)
