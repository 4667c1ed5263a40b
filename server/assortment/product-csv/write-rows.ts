import { holdEntries, writeEntries } from '../../fields/index.ts'
import { Faults } from '../../kernel/body/faults.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inputOf } from '../../kernel/request/operations.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { runInSteps, type Steps } from '../../kernel/work/in-turns.ts'
import { type ObjectWrite, type WriteOutcome, writeMany } from '../../kernel/write/write-many.ts'
import type { RowFaults } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { attachTemplates, roomForTemplates, templatesMax } from '../products/product-templates.ts'
import { products } from '../products/products.ts'
import type { Locale } from './cell-values.ts'
import { toImageChange } from './images.ts'
import { type ImportRow, toBody } from './import-row.ts'
import type { RowTargets } from './row-targets.ts'
import { type TemplateColumns, type TemplateWrite, toEntries } from './template-columns.ts'

/** What all rows of a part share. It cannot change until the end of the transaction. */
interface RowsToWrite {
  readonly own: Resource<ProductFields>
  /** How many columns the file has. */
  readonly columns: number
  readonly templates: readonly TemplateColumns[]
  readonly images: ReadonlySet<string>
  readonly locale: Locale | undefined
  readonly faults: RowFaults
}

/** A row that has passed all checks before the write. */
interface RowWrite {
  readonly row: ImportRow
  readonly productId: string
  readonly write: ObjectWrite<ProductFields>
  readonly entries: readonly TemplateWrite[]
}

/** How many rows one statement writes, while the next rows are checked. */
const perStatement = 250

/** How many cells are read in less than a tenth of a millisecond. */
const cellsPerStep = 30

/** Writes rows that share no unique value with each other. Nothing of a row with faults is written. */
export async function writeRows(
  work: Work,
  part: RowsToWrite,
  rows: readonly ImportRow[],
  targets: RowTargets,
): Promise<void> {
  const named = rows.flatMap((row) => {
    const before = targets.get(row)
    if (!(before instanceof Problem)) return { row, before }
    part.faults.add(row, before)
    return []
  })
  const read = await createReader(work, part, named)
  const outcomes = await writeWhileReading(work, part.own, named, read)
  const done = [...outcomes].flatMap(([write, outcome]) => {
    if (!(outcome instanceof Problem)) return write
    part.faults.add(write.row, outcome)
    return []
  })
  const changedIds = await writeTemplates(work, part, done)
  // Products that were written already have a new version.
  for (const [{ productId }, outcome] of outcomes) if (outcome === 'written') changedIds.delete(productId)
  if (changedIds.size)
    await work.store.touchAll(products, (bind) => `r.id = ANY(${bind([...changedIds])}::uuid[])`)
}

/** A row and its product; undefined for a new product. */
interface NamedRow {
  readonly row: ImportRow
  readonly before: Row<ProductFields> | undefined
}

type RowReader = (rows: readonly NamedRow[]) => Steps<readonly RowWrite[]>

/** Reads the next rows while the database writes: neither waits for the other. */
async function writeWhileReading(
  work: Work,
  own: RowsToWrite['own'],
  rows: readonly NamedRow[],
  read: RowReader,
): Promise<ReadonlyMap<RowWrite, WriteOutcome>> {
  const outcomes = new Map<RowWrite, WriteOutcome>()
  let next = await runInSteps(read(rows.slice(0, perStatement)))
  for (let at = perStatement; next.length || at < rows.length; at += perStatement) {
    const some = next
    const writes = some.map(({ write }) => write)
    const [written, following] = await Promise.all([
      writeMany(work, own, [], writes),
      runInSteps(read(rows.slice(at, at + perStatement))),
    ])
    for (const [i, write] of some.entries()) outcomes.set(write, written[i] as WriteOutcome)
    next = following
  }
  return outcomes
}

/** Prepares to read rows into writes, which are checked as requests are. */
async function createReader(
  work: Work,
  { own, columns, templates, images, locale, faults: rowFaults }: RowsToWrite,
  rows: readonly NamedRow[],
): Promise<RowReader> {
  const input = inputOf(own)
  const ids = rows.flatMap(({ before }) => before?.id ?? [])
  const entriesBefore = new Map<TemplateColumns, ReadonlyMap<string, Row>>()
  for (const of of templates) {
    entriesBefore.set(
      of,
      new Map((await holdEntries(work, of.template, ids)).map((entry) => [entry.id, entry])),
    )
  }
  const flows = templates.map(({ template }) => template.id)
  const room = flows.length ? await roomForTemplates(work, ids, flows) : () => 0
  const readRow = ({ row, before }: NamedRow): RowWrite => {
    const productId = before?.id ?? newId()
    const faults = new Faults()
    const image = faults.check(() => toImageChange(row, before, images))
    const write = faults.check((): ObjectWrite<ProductFields> => {
      const body = toBody(row, before)
      return before
        ? { before, changes: { ...input.update(body), ...image } }
        : { id: productId, values: { ...input.create(body), ...image } }
    })
    const entries = faults.check(() => toEntries(row, productId, entriesBefore, locale)) ?? []
    faults.check(() => {
      if (entries.length <= room(productId)) return
      throw new Problem('unprocessable', `A product may have at most ${templatesMax} templates.`)
    })
    faults.refuse()
    return { row, productId, write: write as ObjectWrite<ProductFields>, entries }
  }
  return function* (some) {
    const writes: RowWrite[] = []
    for (const one of some) {
      writes.push(...rowFaults.attempt(one.row, () => readRow(one)))
      for (let cells = 0; cells < columns; cells += cellsPerStep) yield
    }
    return writes
  }
}

/** Writes the entries of templates. Returns the ids of the products whose entries changed. */
async function writeTemplates(
  work: Work,
  { templates }: RowsToWrite,
  rows: readonly RowWrite[],
): Promise<Set<string>> {
  const changed: [productId: string, templateId: string][] = []
  for (const { template } of templates) {
    const own = rows.flatMap(({ entries }) => entries.filter((entry) => entry.template === template))
    const ids = await writeEntries(
      work,
      template,
      own.map(({ write }) => write),
    )
    for (const id of ids) changed.push([id, template.id])
  }
  await attachTemplates(work, changed)
  return new Set(changed.map(([id]) => id))
}
