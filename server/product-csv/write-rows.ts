import { holdEntries, writeEntries } from '../flows/index.ts'
import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { inputOf } from '../kernel/operations.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { type Write, writeMany } from '../kernel/write-many.ts'
import { attachTemplates, type ProductFields, products, roomForTemplates } from '../products/index.ts'
import type { Locale } from './cell-values.ts'
import { imageOf } from './images.ts'
import { bodyOf, type ImportRow } from './import-row.ts'
import { attempt, type Fail, type Targets } from './row-targets.ts'
import type { TemplateColumns } from './template-columns.ts'
import { type Entry, entriesOfRow } from './template-values.ts'

/** What all rows of a part are imported by; it is so to the end of the transaction. */
interface Part {
  readonly own: Resource<ProductFields>
  readonly templates: readonly TemplateColumns[]
  readonly images: ReadonlySet<string>
  readonly locale: Locale | undefined
  readonly fail: Fail
}

/** A row that may be written, as far as can be told before it is. */
interface RowWrite {
  readonly row: ImportRow
  readonly productId: string
  readonly write: Write<ProductFields>
  readonly entries: readonly Entry[]
}

/** Writes rows that touch nothing that another of them touches. Of a row that fails nothing is written. */
export async function writeRows(
  work: Work,
  part: Part,
  rows: readonly ImportRow[],
  targets: Targets,
): Promise<void> {
  const { own, fail } = part
  const writes = await readRows(
    work,
    part,
    rows.filter((row) => targets.has(row)),
    targets,
  )
  const outcomes = await writeMany(
    work,
    own,
    [],
    writes.map(({ write }) => write),
  )
  const done = writes.filter(({ row }, i) => {
    const outcome = outcomes[i]
    if (outcome instanceof Problem) fail(row, outcome)
    return !(outcome instanceof Problem)
  })
  const written = new Set(writes.flatMap(({ productId }, i) => (outcomes[i] === 'written' ? productId : [])))
  const say = await writeTemplates(work, part, done)
  // Those that were written have a new version already.
  const others = [...say].filter((id) => !written.has(id))
  if (others.length) await work.store.touchAll(products, (bind) => `r.id = ANY(${bind(others)}::uuid[])`)
}

/** What rows write, checked as a request would be. */
async function readRows(
  work: Work,
  { own, templates, images, locale, fail }: Part,
  rows: readonly ImportRow[],
  targets: Targets,
): Promise<readonly RowWrite[]> {
  const read = inputOf(own)
  const ids = rows.flatMap((row) => targets.get(row)?.id ?? [])
  const said = new Map<TemplateColumns, ReadonlyMap<string, Row>>()
  for (const of of templates) {
    said.set(of, new Map((await holdEntries(work, of.template, ids)).map((entry) => [entry.id, entry])))
  }
  const flows = templates.map(({ template }) => template.id)
  const room = flows.length ? await roomForTemplates(work, ids, flows) : () => 0
  return rows.flatMap((row) =>
    attempt(
      () => {
        const before = targets.get(row)
        const productId = before?.id ?? newId()
        const body = bodyOf(row, before)
        const image = imageOf(row, before, images)
        const write: Write<ProductFields> = before
          ? { before, changes: { ...read.update(body), ...image } }
          : { id: productId, given: { ...read.create(body), ...image } }
        const entries = entriesOfRow(row, productId, said, locale)
        if (entries.length > room(productId)) {
          throw new Problem('unprocessable', 'The product would have more templates than it may.')
        }
        return { row, productId, write, entries }
      },
      row,
      fail,
    ),
  )
}

/** Writes what templates say. The ids of the products that show something else now. */
async function writeTemplates(
  work: Work,
  { templates }: Part,
  rows: readonly RowWrite[],
): Promise<ReadonlySet<string>> {
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
