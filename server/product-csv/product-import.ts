import { ownKept } from '../kernel/added-fields.ts'
import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { inputOf } from '../kernel/operations.ts'
import type { Resource, Row } from '../kernel/resource.ts'
import { type Write, writeMany } from '../kernel/write-many.ts'
import { pimJob } from '../pim-jobs/index.ts'
import { type ProductFields, products } from '../products/index.ts'
import { type Column, columnsOf } from './columns.ts'
import { bodyOf, type ImportRow, idOf, importRow, touches } from './import-row.ts'
import { dropStaged, stagedRows } from './staged-rows.ts'

/** Rows that are one part of the job: in one transaction. */
const perPart = 1000

interface Asked {
  readonly importId: string
  readonly header: readonly string[]
  /** How many there are in all. */
  readonly rows: number
}

/** How far it is: the line that was the last, and how many rows that were. */
interface State {
  readonly line: number
  readonly done: number
}

/** Makes products of the rows of a file. Each is written by the rules of a request; those that fail are told. */
export const productImport = pimJob<Asked, State>({
  type: 'product-import',
  async run(work, { payload: { importId, header, rows: of }, state = { line: 1, done: 0 } }) {
    const staged = await stagedRows(work, importId, state.line, perPart)
    const done = state.done + staged.length
    const errors = await importRows(work, columnsOf(header), staged)
    const told = { progress: { done, of } }
    if (staged.length === perPart) return { next: { line: staged.at(-1)?.line ?? 0, done }, errors, told }
    await dropStaged(work, importId)
    return { errors, told }
  },
})

type Staged = Awaited<ReturnType<typeof stagedRows>>

/** Imports rows in their order; why those failed that did. */
async function importRows(work: Work, columns: readonly Column[], staged: Staged): Promise<string[]> {
  const errors: [line: number, message: string][] = []
  const own = await ownKept(work, products, [])
  const fail = (line: number, error: unknown) => errors.push([line, messageOf(line, error)])
  const read = staged.flatMap(({ line, cells }) => attempt(() => importRow(columns, line, cells), line, fail))
  for (let rest = read; rest.length; ) {
    const targets = await findTargets(work, rest, fail)
    const apart = thoseApart(rest, targets)
    await writeRows(work, own, rest.slice(0, apart), targets, fail)
    rest = rest.slice(apart)
  }
  return errors.toSorted(([one], [other]) => one - other).map(([, message]) => message)
}

type Fail = (line: number, error: unknown) => void

function attempt<T>(work: () => T, line: number, fail: Fail): T[] {
  try {
    return [work()]
  } catch (error) {
    fail(line, error)
    return []
  }
}

/** The product that each row is about, held; undefined where it is a new one. A row that names none is not there. */
type Targets = ReadonlyMap<ImportRow, Row<ProductFields> | undefined>

async function findTargets(work: Work, rows: readonly ImportRow[], fail: Fail): Promise<Targets> {
  const { store } = work
  const byRef = await idsByRef(work, rows)
  const named = new Map(
    rows.flatMap((row) => attempt(() => [row, idOf(row) ?? idByRef(byRef, row)] as const, row.line, fail)),
  )
  const ids = [...new Set([...named.values()].filter((id) => id !== undefined))]
  const found = new Map((await store.holdWhole(products, ids)).map((row) => [row.id, row]))
  return new Map(
    [...named].flatMap(([row, id]) => attempt(() => [row, targetOf(found, id)] as const, row.line, fail)),
  )
}

function targetOf(found: ReadonlyMap<string, Row<ProductFields>>, id: string | undefined) {
  if (id === undefined) return undefined
  const row = found.get(id)
  if (row) return row
  throw new Problem('not_found', `There is no product with the id ${id}.`, { source: 'data.id' })
}

async function idsByRef({ store }: Work, rows: readonly ImportRow[]): Promise<ReadonlyMap<string, string[]>> {
  const refs = rows.flatMap((row) => (row.id ? [] : row.attributes.get('external_ref') || []))
  const ids = new Map<string, string[]>()
  if (!refs.length) return ids
  const found = await store.rows(
    `SELECT external_ref, id FROM products WHERE store_id = $1 AND left(external_ref, 128) = ANY($2::text[])
       AND external_ref = ANY($3::text[]) ORDER BY id`,
    refs.map((ref) => [...ref].slice(0, 128).join('')),
    refs,
  )
  for (const [ref, id] of found as [string, string][]) ids.set(ref, [...(ids.get(ref) ?? []), id])
  return ids
}

function idByRef(ids: ReadonlyMap<string, string[]>, { attributes }: ImportRow): string | undefined {
  const [id, ...others] = ids.get(attributes.get('external_ref') ?? '') ?? []
  if (!others.length) return id
  throw new Problem(
    'unprocessable',
    `${others.length + 1} products have this external_ref: name one by its id.`,
    {
      source: 'data.attributes.external_ref',
    },
  )
}

/** How many of the first rows touch nothing that another of them touches. */
function thoseApart(rows: readonly ImportRow[], targets: Targets): number {
  const touched = new Set<string>()
  const end = rows.findIndex((row) => {
    const own = touches(row, targets.get(row))
    if (own.some((one) => touched.has(one))) return true
    for (const one of own) touched.add(one)
    return false
  })
  return end < 0 ? rows.length : end
}

async function writeRows(
  work: Work,
  own: Resource<ProductFields>,
  rows: readonly ImportRow[],
  targets: Targets,
  fail: Fail,
): Promise<void> {
  const read = inputOf(own)
  const writes = rows.flatMap((row) => {
    if (!targets.has(row)) return []
    const before = targets.get(row)
    return attempt(
      (): [ImportRow, Write<ProductFields>] => {
        const body = bodyOf(row, before)
        return [row, before ? { before, changes: read.update(body) } : { given: read.create(body) }]
      },
      row.line,
      fail,
    )
  })
  const refused = await writeMany(
    work,
    own,
    [],
    writes.map(([, write]) => write),
  )
  for (const [i, [{ line }]] of writes.entries()) {
    if (refused[i]) fail(line, refused[i])
  }
}

/** Where the file is wrong: the columns are named as members of a request's attributes. */
function messageOf(line: number, error: unknown): string {
  if (!(error instanceof Problem)) throw error
  const plain = (text: string) => text.replaceAll('data.attributes.', '').replace(/^data\./, '')
  const column = error.source && plain(error.source)
  const message = plain(error.message)
  const told = column && message.startsWith(`${column}: `) ? message.slice(column.length + 2) : message
  return `line ${line}${column ? `, column ${column}` : ''}: ${told}`
}
