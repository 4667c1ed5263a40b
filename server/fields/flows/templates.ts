import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { currentDefinition, lockedDefinition } from '../../kernel/query/definitions.ts'
import { inputOf } from '../../kernel/request/operations.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type ObjectWrite, writeMany } from '../../kernel/write/write-many.ts'
import { shownFieldsOf } from './define.ts'
import { type FieldValueType, typeOfSchema } from './field-rules.ts'
import { kindOf } from './kinds.ts'
import { entriesOfMany } from './template-entries.ts'

/** A template of products. */
export interface Template {
  readonly id: string
  readonly slug: string
  /** The visible fields in their order, with the types of their values. */
  readonly fields: ReadonlyMap<string, FieldValueType>
  /** The resource of its entries, with these fields. */
  readonly entries: Resource
}

/** The templates of a store, by id and by slug. */
export type Templates = ReadonlyMap<string, Template>

const columns = 'SELECT id, slug FROM flows WHERE store_id = $1' as const
const named = `${columns} AND (slug = ANY($2::text[]) OR id = ANY($3::uuid[])) ORDER BY id` as const

type FlowRows = readonly (readonly (string | null)[])[]

async function templatesIn(work: Work, rows: FlowRows, ownOf: typeof currentDefinition): Promise<Templates> {
  const templates = new Map<string, Template>()
  for (const [id, slug] of rows as readonly [string, string][]) {
    if (kindOf(slug) !== 'template') continue
    const entries = await ownOf(work, entriesOfMany, [id])
    const fields = new Map(shownFieldsOf(entries).map(({ name, schema }) => [name, typeOfSchema(schema)]))
    const template = { id, slug, fields, entries }
    templates.set(id, template).set(slug, template)
  }
  return templates
}

export const findTemplates = async (work: Work): Promise<Templates> =>
  templatesIn(work, await work.store.read(`${columns} ORDER BY slug`), currentDefinition)

/** Finds templates by ids or slugs, and locks them until the end of the transaction. */
export async function keepTemplates(work: Work, names: readonly string[]): Promise<Templates> {
  const ids = names.filter(isId)
  return templatesIn(work, await work.store.readAndLock(named, names, ids), lockedDefinition)
}

/** Reads and locks the entries of a template for these products. */
export const holdEntries = ({ store }: Work, { id, entries }: Template, productIds: readonly string[]) =>
  store.lockWhole(entries, productIds, [id])

/** Prepares one of many entries of a template. Throws a Problem (422) if the values are not valid. */
export function entryOf(
  { entries }: Template,
  productId: string,
  before: Row | undefined,
  values: Readonly<Record<string, unknown>>,
): ObjectWrite<Resource['fields']> {
  const body = { data: { type: entries.type, ...values } }
  const read = inputOf(entries)
  return before ? { before, changes: read.update(body) } : { id: productId, values: read.create(body) }
}

/**
 * Writes the entries of a template for many products, which are locked. Returns the ids of products whose entry has
 * changed: the caller must touch them to make new versions.
 */
export async function writeEntries(
  work: Work,
  { id, entries }: Template,
  writes: readonly ObjectWrite<Resource['fields']>[],
): Promise<readonly string[]> {
  const outcomes = await writeMany(work, entries, [id], writes)
  return writes.flatMap((write, i) => {
    const outcome = outcomes[i]
    if (outcome instanceof Problem) throw outcome
    const productId = 'before' in write ? write.before.id : write.id
    return outcome === 'written' && productId ? productId : []
  })
}
