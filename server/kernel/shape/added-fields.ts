import { type Resource, shown } from '../declare/resource.ts'
import { newId } from '../ids.ts'
import { Memory } from '../memory.ts'
import type { Work } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'
import { type Field, type Fields, field, type JsonSchema } from './fields.ts'

/**
 * Fields that a store adds to a resource at run time. The table `added_fields` has them by the name that the resource
 * says (`addedUnder`), in the order that they are shown in. Each statement that reads rows or writes one tells their
 * state too, so nobody ever goes by others than the row did: see docs/decisions/0019-added-fields.md.
 */

/** One of them, as the table has it. */
export interface AddedField {
  readonly id: string
  readonly name: string
  /** Of its values, null among them where it may be that. */
  readonly schema: JsonSchema
  readonly about?: string
  readonly required?: boolean
  /** What a new object has in its place when it is not given; null, unless it is told. */
  readonly default?: unknown
  /** A default that breaks the schema. A request that would take it is refused; the server's own writes get null. */
  readonly unusableDefault?: unknown
  /** Of a string: a number or a boolean in a request is stored as text. */
  readonly takesScalars?: boolean
  /** Kept as it is, and neither shown nor taken from a request. */
  readonly hidden?: boolean
  /** What shoppers send for it is ignored, as for a field that the server sets. */
  readonly closedToShoppers?: boolean
  /** Left out of answers while it is null. */
  readonly omitNull?: boolean
  /** It is no value but the member `relationships`, of a resource that has none of its own. */
  readonly holdsLinks?: boolean
}

/** All that a store has added to a resource, in one state. */
export interface Added {
  readonly state: string
  readonly fields: readonly AddedField[]
}

// A state is an id that is never given twice, so what is known of it is true in any process, of any store.
const states = new Memory<string, Added>(2000)
const built = new WeakMap<Resource, Memory<string, Resource>>()

/** The resource as it was declared. */
const declared = <F extends Fields>(of: Resource<F>): Resource<F> => (of.declared ?? of) as Resource<F>

/** The resource with these fields too; without any, as it was declared. Its own go before added ones of their name. */
export function withAdded<F extends Fields>(of: Resource<F>, added: Added | undefined): Resource<F> {
  const base = declared(of)
  if (!added) return base
  const known = built.get(base) ?? new Memory<string, Resource>(1000)
  built.set(base, known)
  const before = known.get(added.state)
  if (before) return before as Resource<F>
  const made = build(base, added)
  known.set(added.state, made)
  return made as Resource<F>
}

function build(base: Resource, { state, fields }: Added): Resource {
  const others = fields.filter(({ name }) => !Object.hasOwn(base.fields, name))
  const own = {
    ...base.fields,
    ...Object.fromEntries(others.map((one) => [one.name, fieldOf(one)])),
  }
  const filter = { ...base.filter, ...base.addedFilters?.(others) }
  return { ...base, fields: own, filter, added: { state, fields: others }, declared: base }
}

function fieldOf(added: AddedField): Field {
  const { schema, about, required, hidden, holdsLinks, takesScalars, default: given = null } = added
  if (holdsLinks) return shown({})
  if (hidden) return field(schema, { hidden: true, readOnly: true })
  const fallback = { default: given, required: Boolean(required) && given === null }
  return field(schema, { ...fallback, ...(about && { about }) }, { ...(takesScalars && { takesScalars }) })
}

/** A statement's column with the state of the fields that are added to the rows that it reads. `$1` is the store. */
export const stateColumns = ({ addedUnder: name }: Resource, alias: string): readonly string[] =>
  name
    ? [`(SELECT f.state FROM added_fields f WHERE f.store_id = $1 AND f.name = ${nameSql(name, alias)})`]
    : []

export type AddedUnder = string | { readonly column: string }

const nameSql = (name: AddedUnder, alias: string) =>
  typeof name === 'string' ? `'${name}'` : `${alias}${name.column}::text`

/** A condition on a write: no other fields than the resource has are added until its transaction ends. */
export function asAdded(of: Resource, bind: (value: unknown) => string): string {
  const { addedUnder: name, added, scopeColumns } = of
  if (!name) return 'true'
  // The scope's values follow the store's and the object's id.
  const sql = typeof name === 'string' ? `'${name}'` : `$${scopeColumns.indexOf(name.column) + 3}::text`
  const row = `(SELECT FROM added_fields f WHERE f.store_id = $1::uuid AND f.name = ${sql}`
  return added
    ? `EXISTS ${row} AND f.state = ${bind(added.state)}::uuid FOR KEY SHARE)`
    : `NOT EXISTS ${row})`
}

/** Asks for the state, and the fields, of what a name or a state stands for. */
type Ask = (
  text: `SELECT ${string}`,
  ...values: readonly unknown[]
) => Promise<readonly (readonly (string | null)[])[]>

const columns = 'SELECT state, fields FROM added_fields WHERE store_id = $1' as const

/** What a store has added, from the columns `state` and `fields` of its row. */
export function remember(found: readonly (string | null)[] | undefined): Added | undefined {
  if (!found) return undefined
  const [state, fields] = found as [string, string]
  const added = states.get(state) ?? { state, fields: JSON.parse(fields) as AddedField[] }
  states.set(state, added)
  return added
}

/** The resource as the rows that were read in this state have it; undefined when there is another by now. */
export async function inState<F extends Fields>(
  of: Resource<F>,
  state: string | null | undefined,
  ask: Ask,
): Promise<Resource<F> | undefined> {
  if (state == null) return declared(of)
  const added = states.get(state) ?? remember((await ask(`${columns} AND state = $2`, state))[0])
  return added && withAdded(of, added)
}

// What was added when this process last had reason to look: it may be something else by now.
const lately = perInstance(() => new Memory<string, Added>(10_000))

const nameOf = ({ addedUnder, scopeColumns }: Resource, scope: readonly string[]): string =>
  typeof addedUnder === 'object' ? (scope[scopeColumns.indexOf(addedUnder.column)] ?? '') : (addedUnder ?? '')

/** The resource as its store had it lately. */
export function ownLately<F extends Fields>(
  work: Work,
  of: Resource<F>,
  scope: readonly string[],
): Resource<F> {
  return of.addedUnder
    ? withAdded(of, lately(work.instance).get(`${work.store.id} ${nameOf(of, scope)}`))
    : of
}

/** The resource as its store has it now. */
export async function ownNow<F extends Fields>(
  work: Work,
  of: Resource<F>,
  scope: readonly string[],
): Promise<Resource<F>> {
  if (!of.addedUnder) return of
  const name = nameOf(of, scope)
  const added = remember((await work.store.glance(`${columns} AND name = $2`, name))[0])
  const known = lately(work.instance)
  if (added) known.set(`${work.store.id} ${name}`, added)
  else known.delete(`${work.store.id} ${name}`)
  return withAdded(of, added)
}

/** The resource as its store has it now, and has it to the end of the transaction. */
export async function ownKept<F extends Fields>(
  work: Work,
  of: Resource<F>,
  scope: readonly string[],
): Promise<Resource<F>> {
  if (!of.addedUnder) return of
  const found = await work.store.glanceAndKeep(`${columns} AND name = $2`, nameOf(of, scope))
  return withAdded(of, remember(found[0]))
}

/**
 * What a body says, read as for the resource that its store had lately; where that refuses it, as for the one that it
 * has now. With the resource that it was read for.
 */
export async function readAs<F extends Fields, T>(
  work: Work,
  of: Resource<F>,
  scope: readonly string[],
  read: (own: Resource<F>) => T,
): Promise<T> {
  const own = ownLately(work, of, scope)
  try {
    return read(own)
  } catch (refusal) {
    const now = await ownNow(work, of, scope)
    if (now === own) throw refusal
    return read(now)
  }
}

/**
 * What the store adds under a name is this from now on. Needs a transaction, to the end of which nobody writes objects
 * of the resource: what is changed in them meanwhile agrees with it. `read` tells the fields when nobody else defines
 * them.
 */
export async function defineAdded(
  work: Work,
  name: string,
  read: () => Promise<readonly AddedField[]>,
): Promise<void> {
  const { store } = work
  await store.takeTurn(`added-fields ${name}`)
  // Who writes such objects keeps the row; an update of it alone would not wait for them.
  await store.rows('SELECT FROM added_fields WHERE store_id = $1 AND name = $2 FOR UPDATE', name)
  const fields = await read()
  if (!fields.length) {
    await store.rows('DELETE FROM added_fields WHERE store_id = $1 AND name = $2', name)
    return
  }
  await store.rows(
    `INSERT INTO added_fields (store_id, name, state, fields) VALUES ($1, $2, $3, $4)
     ON CONFLICT (store_id, name) DO UPDATE SET state = excluded.state, fields = excluded.fields`,
    name,
    newId(),
    JSON.stringify(fields),
  )
}
