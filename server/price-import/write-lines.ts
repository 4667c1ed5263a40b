import type { Resource, Row } from '../kernel/declare/resource.ts'
import { Problem, together } from '../kernel/errors.ts'
import { inputOf } from '../kernel/request/operations.ts'
import type { Fields } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'
import { type Write, writeMany } from '../kernel/write/write-many.ts'
import { pricebooks, prices } from '../pricebooks/index.ts'
import { targetOf } from './import-line.ts'
import { linesAbout, type StagedLine, sameAs } from './staged-lines.ts'

/** Why lines were not written. */
class Refusals {
  readonly #all: { readonly line: number; readonly reason: Problem }[] = []

  add({ line }: StagedLine, reason: Problem): void {
    this.#all.push({ line, reason })
  }

  /** Tells all faults of the first line that has any. */
  throwFirst(): void {
    const [first] = this.#all.sort((one, other) => one.line - other.line)
    if (first) throw together(first.reason.all.map((fault) => inLine(first.line, fault)))
  }
}

function inLine(line: number, { source, message }: Problem): Problem {
  const told = !source || message.includes(source) ? message : `${source}: ${message}`
  return refuse(
    `line ${line}: ${told
      .replaceAll('data.attributes.', '')
      .replaceAll('data.', '')
      .replace(/^Validation failed: /, '')}`,
  )
}

const refuse = (detail: string) => new Problem('unprocessable', detail)

/** Writes price books: those that are there are changed. A Problem where one cannot be written. */
export async function writePricebooks(
  work: Work,
  importId: string,
  lines: readonly StagedLine[],
): Promise<void> {
  const refusals = new Refusals()
  const byRef = await pricebooksByRef(
    work,
    lines.map(({ id, externalRef }) => (id ? undefined : externalRef)),
  )
  const idOf = ({ id, externalRef = '' }: StagedLine) => id ?? only(byRef, externalRef)
  await writeAll(work, importId, pricebooks, [], lines, idOf, refusals)
  refusals.throwFirst()
}

/** Writes prices, each in its price book. A Problem where one cannot be written. */
export async function writePrices(work: Work, importId: string, lines: readonly StagedLine[]): Promise<void> {
  const refusals = new Refusals()
  const books = await pricebooksOf(work, lines, refusals)
  refusals.throwFirst()
  const inBooks = Map.groupBy(lines, (line) => books.get(line) ?? '')
  // In the order of their ids, as others lock them.
  for (const [book, lines] of [...inBooks].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const byRef = await pricesByRef(work, book, lines)
    const idOf = ({ id, externalRef = '' }: StagedLine) => id ?? byRef.get(externalRef)
    await writeAll(work, importId, prices, [book], lines, idOf, refusals)
  }
  refusals.throwFirst()
}

/** One of the price books that have an `external_ref`, and how many have it. */
type ByRef = ReadonlyMap<string, { readonly id: string; readonly count: number }>

async function pricebooksByRef({ store }: Work, given: readonly (string | undefined)[]): Promise<ByRef> {
  const refs = [...new Set(given.flatMap((ref) => ref ?? []))]
  if (!refs.length) return new Map()
  const found = await store.rows(
    `SELECT external_ref, min(id::text), count(*) FROM pricebooks
     WHERE store_id = $1 AND left(external_ref, 128) = ANY($2::text[]) AND external_ref = ANY($3::text[])
     GROUP BY external_ref`,
    refs.map((ref) => [...ref].slice(0, 128).join('')),
    refs,
  )
  return new Map(found.map(([ref, id, count]) => [ref as string, { id: id as string, count: Number(count) }]))
}

function only(byRef: ByRef, ref: string): string | undefined {
  const { id, count = 0 } = byRef.get(ref) ?? {}
  if (count <= 1) return id
  throw refuse(`${count} price books have the external_ref ${ref}: name one by its id.`)
}

async function pricesByRef(
  { store }: Work,
  book: string,
  lines: readonly StagedLine[],
): Promise<ReadonlyMap<string, string>> {
  const refs = lines.flatMap(({ id, externalRef }) => (id ? [] : (externalRef ?? [])))
  const found = await store.rows(
    `SELECT p.external_ref, p.id FROM unnest($3::text[]) ref
     JOIN prices p ON p.store_id = $1 AND p.pricebook_id = $2 AND md5(p.external_ref) = md5(ref) AND p.external_ref = ref`,
    book,
    refs,
  )
  return new Map(found as unknown as [string, string][])
}

/** The price book of each line, which is kept. */
async function pricebooksOf(
  work: Work,
  lines: readonly StagedLine[],
  refusals: Refusals,
): Promise<ReadonlyMap<StagedLine, string>> {
  const byRef = await pricebooksByRef(
    work,
    lines.map(({ pricebook }) => pricebook.externalRef),
  )
  const unsaid = lines.flatMap(({ id, pricebook }) =>
    id && !pricebook.id && !pricebook.externalRef ? id : [],
  )
  const byPrice = await pricebooksOfPrices(work, unsaid)
  const named = new Map<StagedLine, string>()
  for (const line of lines) {
    try {
      named.set(line, pricebookOf(line, byRef, byPrice))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.add(line, error)
    }
  }
  const kept = await work.store.keep(pricebooks, ...new Set(named.values()))
  for (const [line, book] of named) {
    if (!kept.has(book)) refusals.add(line, refuse(`price book id not found: ${book}`))
  }
  return named
}

async function pricebooksOfPrices(
  { store }: Work,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!ids.length) return new Map()
  const found = await store.rows(
    'SELECT id, pricebook_id FROM prices WHERE store_id = $1 AND id = ANY($2::uuid[])',
    ids,
  )
  return new Map(found as unknown as [string, string][])
}

function pricebookOf(
  { id = '', pricebook }: StagedLine,
  byRef: ByRef,
  byPrice: ReadonlyMap<string, string>,
): string {
  if (pricebook.id) return pricebook.id
  const { externalRef } = pricebook
  const found = externalRef ? only(byRef, externalRef) : byPrice.get(id)
  if (found) return found
  throw refuse(
    externalRef ? `price book external refs not found: ${externalRef}` : `price Ids not found: ${id}`,
  )
}

/** Writes what lines say of objects in one list: those with an id are there, or it is refused; others are new. */
async function writeAll<F extends Fields>(
  work: Work,
  importId: string,
  resource: Resource<F>,
  scope: readonly string[],
  lines: readonly StagedLine[],
  idOf: (line: StagedLine) => string | undefined,
  refusals: Refusals,
): Promise<void> {
  const ids = new Map<StagedLine, string | undefined>()
  const attempt = <T>(line: StagedLine, run: () => T): T[] => {
    try {
      return [run()]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.add(line, error)
      return []
    }
  }
  for (const line of lines) attempt(line, () => ids.set(line, idOf(line)))
  const twins = await twinsOf(work, importId, scope, ids)
  for (const [line, twin] of twins) {
    ids.delete(line)
    refusals.add(line, refuse(sameAs(twin)))
  }
  const held = await work.store.holdWhole(
    resource,
    [...new Set([...ids.values()].flatMap((id) => id ?? []))],
    scope,
  )
  const rows = new Map(held.map((row) => [row.id, row]))
  const writes = [...ids].flatMap(([line, id]) =>
    attempt(line, () => ({
      line,
      write: writeOf(resource, line, id, id === undefined ? undefined : rows.get(id)),
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
    if (outcome instanceof Problem) refusals.add(line, outcome)
  }
}

/** Lines that are about what another line of the file names in another way: by its id, or by that of its price book. */
async function twinsOf(
  work: Work,
  importId: string,
  [book]: readonly string[],
  ids: ReadonlyMap<StagedLine, string | undefined>,
): Promise<ReadonlyMap<StagedLine, number>> {
  const targets = new Map<StagedLine, readonly string[]>()
  for (const [line, id] of ids) {
    const { about, externalRef } = line
    const byId = targetOf({ about, id, externalRef, pricebook: {} })
    const inBook = targetOf({ about, id: undefined, externalRef, pricebook: book ? { id: book } : {} })
    const own = targetOf(line)
    targets.set(
      line,
      [...(id ? [byId] : []), ...(line.id ? [] : [inBook])].filter((one) => one !== own),
    )
  }
  const found = await linesAbout(work, importId, [...targets.values()].flat())
  return new Map(
    [...targets].flatMap(([line, others]) => {
      const twin = others.flatMap((other) => found.get(other) ?? [])[0]
      return twin === undefined ? [] : [[line, twin] as const]
    }),
  )
}

function writeOf<F extends Fields>(
  resource: Resource<F>,
  { about, attributes }: StagedLine,
  id: string | undefined,
  before: Row<F> | undefined,
): Write<F> {
  const body = { data: { type: about, attributes } }
  if (before) return { before, changes: inputOf(resource).update(body) }
  if (id === undefined) return { given: inputOf(resource).create(body) }
  throw refuse(`${about === 'pricebook' ? 'price book id' : 'price Ids'} not found: ${id}`)
}
