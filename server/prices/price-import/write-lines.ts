import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { inputOf } from '../../kernel/request/operations.ts'
import type { Fields } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type ObjectWrite, writeMany } from '../../kernel/write/write-many.ts'
import { findIdsByRef, type IdOfRef, RowFaults } from '../../store/index.ts'
import { pricebooks } from '../pricebooks/pricebooks.ts'
import { prices } from '../pricebooks/prices.ts'
import { toTarget } from './import-line.ts'
import { duplicateOf, findFirstLines, type StagedLine } from './staged-lines.ts'

const refuse = (detail: string) => new Problem('unprocessable', detail)

/** Creates and updates price books. Throws a Problem if one cannot be written. */
export async function writePricebooks(
  work: Work,
  importId: string,
  lines: readonly StagedLine[],
): Promise<void> {
  const faults = new RowFaults('line')
  const byRef = await findPricebooksByRef(
    work,
    lines.map(({ id, externalRef }) => (id ? undefined : externalRef)),
  )
  const idOf = ({ id, externalRef = '' }: StagedLine) => id ?? byRef(externalRef)
  await writeAll(work, importId, pricebooks, [], lines, idOf, faults)
  faults.throwFirst()
}

/** Creates and updates prices, each in its price book. Throws a Problem if one cannot be written. */
export async function writePrices(work: Work, importId: string, lines: readonly StagedLine[]): Promise<void> {
  const faults = new RowFaults('line')
  const books = await lockPricebooks(work, lines, faults)
  faults.throwFirst()
  const inBooks = Map.groupBy(lines, (line) => books.get(line) ?? '')
  // In the order of their ids, in which every writer locks them.
  for (const [book, lines] of [...inBooks].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const byRef = await findPricesByRef(work, book, lines)
    const idOf = ({ id, externalRef = '' }: StagedLine) => id ?? byRef.get(externalRef)
    await writeAll(work, importId, prices, [book], lines, idOf, faults)
  }
  faults.throwFirst()
}

const findPricebooksByRef = (work: Work, refs: readonly (string | undefined)[]): Promise<IdOfRef> =>
  findIdsByRef(
    work,
    { table: pricebooks.table, nouns: 'price books' },
    refs.flatMap((ref) => ref ?? []),
  )

async function findPricesByRef(
  { store }: Work,
  book: string,
  lines: readonly StagedLine[],
): Promise<ReadonlyMap<string, string>> {
  const refs = lines.flatMap(({ id, externalRef }) => (id ? [] : (externalRef ?? [])))
  const rows = await store.run(
    `SELECT p.external_ref, p.id FROM unnest($3::text[]) ref
     JOIN prices p ON p.store_id = $1 AND p.pricebook_id = $2 AND md5(p.external_ref) = md5(ref) AND p.external_ref = ref`,
    book,
    refs,
  )
  return new Map(rows as unknown as [string, string][])
}

/** Finds the price book of each line, and locks it against deletion. */
async function lockPricebooks(
  work: Work,
  lines: readonly StagedLine[],
  faults: RowFaults,
): Promise<ReadonlyMap<StagedLine, string>> {
  const byRef = await findPricebooksByRef(
    work,
    lines.map(({ pricebook }) => pricebook.externalRef),
  )
  const unsaid = lines.flatMap(({ id, pricebook }) =>
    id && !pricebook.id && !pricebook.externalRef ? id : [],
  )
  const byPrice = await findPricebooksOfPrices(work, unsaid)
  const named = new Map<StagedLine, string>()
  for (const line of lines) {
    faults.attempt(line, () => named.set(line, choosePricebook(line, byRef, byPrice)))
  }
  const existing = await work.store.lockShared(pricebooks, ...new Set(named.values()))
  for (const [line, book] of named) {
    if (!existing.has(book)) faults.add(line, refuse(`price book id not found: ${book}`))
  }
  return named
}

async function findPricebooksOfPrices(
  { store }: Work,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    'SELECT id, pricebook_id FROM prices WHERE store_id = $1 AND id = ANY($2::uuid[])',
    ids,
  )
  return new Map(rows as unknown as [string, string][])
}

function choosePricebook(
  { id = '', pricebook }: StagedLine,
  byRef: IdOfRef,
  byPrice: ReadonlyMap<string, string>,
): string {
  if (pricebook.id) return pricebook.id
  const { externalRef } = pricebook
  const pricebookId = externalRef ? byRef(externalRef) : byPrice.get(id)
  if (pricebookId) return pricebookId
  throw refuse(
    externalRef ? `price book external refs not found: ${externalRef}` : `price Ids not found: ${id}`,
  )
}

/** Writes lines about objects of one list. An object with an id must exist; the others are new. */
async function writeAll<F extends Fields>(
  work: Work,
  importId: string,
  resource: Resource<F>,
  scope: readonly string[],
  lines: readonly StagedLine[],
  idOf: (line: StagedLine) => string | undefined,
  faults: RowFaults,
): Promise<void> {
  const ids = new Map<StagedLine, string | undefined>()
  for (const line of lines) faults.attempt(line, () => ids.set(line, idOf(line)))
  const twins = await findTwins(work, importId, scope, ids)
  for (const [line, twin] of twins) {
    ids.delete(line)
    faults.add(line, refuse(duplicateOf(twin)))
  }
  const held = await work.store.lockWhole(
    resource,
    [...new Set([...ids.values()].flatMap((id) => id ?? []))],
    scope,
  )
  const rows = new Map(held.map((row) => [row.id, row]))
  const writes = [...ids].flatMap(([line, id]) =>
    faults.attempt(line, () => ({
      line,
      write: toWrite(resource, line, id, id === undefined ? undefined : rows.get(id)),
    })),
  )
  const outcomes = await writeMany(
    work,
    resource,
    scope,
    writes.map(({ write }) => write),
  )
  for (const [i, { line }] of writes.entries()) {
    const outcome = outcomes[i]
    if (outcome instanceof Problem) faults.add(line, outcome)
  }
}

/** Finds lines whose object another line names differently: by its id, or by the id of its price book. */
async function findTwins(
  work: Work,
  importId: string,
  [book]: readonly string[],
  ids: ReadonlyMap<StagedLine, string | undefined>,
): Promise<ReadonlyMap<StagedLine, number>> {
  const targets = new Map<StagedLine, readonly string[]>()
  for (const [line, id] of ids) {
    const { about, externalRef } = line
    const byId = toTarget({ about, id, externalRef, pricebook: {} })
    const inBook = toTarget({ about, id: undefined, externalRef, pricebook: book ? { id: book } : {} })
    const own = toTarget(line)
    targets.set(
      line,
      [...(id ? [byId] : []), ...(line.id ? [] : [inBook])].filter((one) => one !== own),
    )
  }
  const firstLines = await findFirstLines(work, importId, [...targets.values()].flat())
  return new Map(
    [...targets].flatMap(([line, others]) => {
      const twin = others.flatMap((other) => firstLines.get(other) ?? [])[0]
      return twin === undefined ? [] : [[line, twin] as const]
    }),
  )
}

function toWrite<F extends Fields>(
  resource: Resource<F>,
  { about, attributes }: StagedLine,
  id: string | undefined,
  before: Row<F> | undefined,
): ObjectWrite<F> {
  const body = { data: { type: about, attributes } }
  if (before) return { before, changes: inputOf(resource).update(body) }
  if (id === undefined) return { values: inputOf(resource).create(body) }
  throw refuse(`${about === 'pricebook' ? 'price book id' : 'price Ids'} not found: ${id}`)
}
