import { Memory } from '../memory.ts'
import { type Field, field, readOnlyObject } from './fields.ts'
import type { Added, AddedField, AddedUnder, Model } from './model.ts'

/**
 * Fields that a store adds to a resource at run time. The table `added_fields` has them by the name that the resource
 * says (`addedUnder`), in the order that they are shown in. Each statement that reads rows or writes one tells their
 * state too, so nobody ever goes by others than the row did: see docs/decisions/0019-added-fields.md.
 */

// A state is an id that is never given twice, so what is known of it is true in any process, of any store.
const states = new Memory<string, Added>(2000)
const built = new WeakMap<Model, Memory<string, Model>>()

/** The resource as it was declared. */
const declared = <M extends Model>(of: M): M => (of.declared ?? of) as M

/** The resource with these fields too; without any, as it was declared. Its own go before added ones of their name. */
export function withAddedFields<M extends Model>(of: M, added: Added | undefined): M {
  const base = declared(of)
  if (!added) return base
  const models = built.get(base) ?? new Memory<string, Model>(1000)
  built.set(base, models)
  const cached = models.get(added.state)
  if (cached) return cached as M
  const model = build(base, added)
  models.set(added.state, model)
  return model as M
}

function build(base: Model, { state, fields }: Added): Model {
  const others = fields.filter(({ name }) => !Object.hasOwn(base.fields, name))
  const own = {
    ...base.fields,
    ...Object.fromEntries(others.map((one) => [one.name, fieldOf(one)])),
  }
  const filter = { ...base.filter, ...base.addedFilters?.(others) }
  return { ...base, fields: own, filter, added: { state, fields: others }, declared: base }
}

function fieldOf(added: AddedField): Field {
  const { schema, about, required, hidden, holdsLinks, takesScalars, default: defaultValue = null } = added
  if (holdsLinks) return readOnlyObject({})
  if (hidden) return field(schema, { hidden: true, readOnly: true })
  const fallback = { default: defaultValue, required: Boolean(required) && defaultValue === null }
  return field(schema, { ...fallback, ...(about && { about }) }, { ...(takesScalars && { takesScalars }) })
}

/** A statement's column with the state of the fields that are added to the rows that it reads. `$1` is the store. */
export const stateColumns = ({ addedUnder: name }: Model, alias: string): readonly string[] =>
  name
    ? [`(SELECT f.state FROM added_fields f WHERE f.store_id = $1 AND f.name = ${nameSql(name, alias)})`]
    : []

const nameSql = (name: AddedUnder, alias: string) =>
  typeof name === 'string' ? `'${name}'` : `${alias}${name.column}::text`

/** A condition on a write: no other fields than the resource has are added until its transaction ends. */
export function definitionUnchanged(of: Model, bind: (value: unknown) => string): string {
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

export const addedColumns = 'SELECT state, fields FROM added_fields WHERE store_id = $1' as const

/** What a store has added, from the columns `state` and `fields` of its row. */
export function toAdded(row: readonly (string | null)[] | undefined): Added | undefined {
  if (!row) return undefined
  const [state, fields] = row as [string, string]
  const added = states.get(state) ?? { state, fields: JSON.parse(fields) as AddedField[] }
  states.set(state, added)
  return added
}

/** The resource as the rows that were read in this state have it; undefined when there is another by now. */
export async function modelInState<M extends Model>(
  of: M,
  state: string | null | undefined,
  ask: Ask,
): Promise<M | undefined> {
  if (state == null) return declared(of)
  const added = states.get(state) ?? toAdded((await ask(`${addedColumns} AND state = $2`, state))[0])
  return added && withAddedFields(of, added)
}
