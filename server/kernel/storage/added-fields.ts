import { Memory } from '../memory.ts'
import { type Field, field } from '../shape/fields.ts'
import type { AddedField, AddedFields, AddedUnder, Model } from '../shape/model.ts'

/**
 * Fields that a store adds to a resource at run time. The table `added_fields` stores them in order, under the name in
 * `addedUnder`. Every statement that reads or writes rows also returns the state of the added fields, so each row is
 * always read with the fields it was stored with. See docs/decisions/0019-added-fields.md.
 */

// The id of a state is never used again, so a cached state is valid in every process and for every store.
const states = new Memory<string, AddedFields>(2000)
const built = new WeakMap<Model, Memory<string, Model>>()

/** The resource as it was declared. */
const declared = <M extends Model>(of: M): M => (of.declared ?? of) as M

/** The resource with these added fields. A declared field takes precedence over an added field of the same name. */
export function withAddedFields<M extends Model>(of: M, added: AddedFields | undefined): M {
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

function build(base: Model, { state, fields }: AddedFields): Model {
  const others = fields.filter(({ name }) => !Object.hasOwn(base.fields, name))
  const own = {
    ...base.fields,
    ...Object.fromEntries(others.map((one) => [one.name, fieldOf(one)])),
  }
  return { ...base, fields: own, added: { state, fields: others }, declared: base }
}

function fieldOf(added: AddedField): Field {
  const { schema, about, required, hidden, holdsLinks, default: defaultValue = null } = added
  if (holdsLinks) return field({ type: 'object' }, { readOnly: true })
  if (hidden) return field(schema, { hidden: true, readOnly: true })
  const fallback = { default: defaultValue, required: Boolean(required) && defaultValue === null }
  return field(schema, { ...fallback, ...(about && { about }) })
}

/** The statement columns that hold the state of the added fields of its rows. `$1` is the store. */
export const stateColumns = ({ addedUnder: name }: Model, alias: string): readonly string[] =>
  name
    ? [`(SELECT f.state FROM added_fields f WHERE f.store_id = $1 AND f.name = ${nameSql(name, alias)})`]
    : []

const nameSql = (name: AddedUnder, alias: string) =>
  typeof name === 'string' ? `'${name}'` : `${alias}${name.column}::text`

/**
 * A condition for a write: the store's added fields are still those of `of`, and stay so until the transaction ends.
 * Empty, if no store adds any. `store` is a column of the row of the write.
 */
export function definitionUnchanged(of: Model, bind: (value: unknown) => string, store: string): string {
  const { addedUnder: name, added, scopeColumns } = of
  if (!name) return ''
  // The scope's values follow the store's and the object's id.
  const sql = typeof name === 'string' ? `'${name}'` : `$${scopeColumns.indexOf(name.column) + 3}::text`
  return added
    ? `added_fields_kept(${store}, ${sql}, ${bind(added.state)}::uuid)`
    : `NOT EXISTS (SELECT FROM added_fields f WHERE f.store_id = $1::uuid AND f.name = ${sql})`
}

/** Runs a query for added fields by name or by state. */
type RunSelect = (
  text: `SELECT ${string}`,
  ...values: readonly unknown[]
) => Promise<readonly (readonly (string | null)[])[]>

export const addedColumns = 'SELECT state, fields FROM added_fields WHERE store_id = $1' as const

/** The added fields of a store, from the columns `state` and `fields`. */
export function toAddedFields(row: readonly (string | null)[] | undefined): AddedFields | undefined {
  if (!row) return undefined
  const [state, fields] = row as [string, string]
  const added = states.get(state) ?? { state, fields: JSON.parse(fields) as AddedField[] }
  states.set(state, added)
  return added
}

/** The resource with the added fields of this state; undefined if the state has changed since. */
export async function modelInState<M extends Model>(
  of: M,
  state: string | null | undefined,
  runSelect: RunSelect,
): Promise<M | undefined> {
  if (state == null) return declared(of)
  const added =
    states.get(state) ?? toAddedFields((await runSelect(`${addedColumns} AND state = $2`, state))[0])
  return added && withAddedFields(of, added)
}
