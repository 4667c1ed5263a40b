import type { Call } from '../declare/call.ts'
import type { Resource } from '../declare/resource.ts'
import { notFound } from '../errors.ts'
import { foldId, isId } from '../ids.ts'
import type { Fields } from '../shape/fields.ts'
import { nounOf, type Row } from '../shape/model.ts'
import { Binds } from '../storage/binds.ts'
import type { Sql, Tuple } from '../storage/database.ts'
import { type ListedRow, listedRows } from '../storage/listed-rows.ts'
import { cutColumns, rowColumns } from '../storage/stored-row.ts'
import { untilWritten } from '../storage/until-written.ts'
import type { Ctx, Work } from '../work/context.ts'
import { charsMaxOf } from './page-text.ts'
import { limits } from './parse.ts'
import type { Source } from './sql.ts'
import { isUnborn, unbornIdOf, unbornRow } from './unborn.ts'

/** The scope of the resource's objects for this request; throws a 404 for a path that cannot lead to any. */
export async function scopeOf(
  ctx: Ctx,
  resource: Resource,
  params: Call['params'],
  idOf: typeof resolveId = resolveId,
): Promise<readonly string[]> {
  if (resource.scope) return (await resource.scope.of?.(ctx, params)) ?? []
  const [column] = resource.scopeColumns.slice(-1)
  if (column === undefined) return []
  const name = params[column] ?? ''
  const parent = resource.parent?.()
  if (!parent) {
    const id = idIn(name)
    if (id === undefined) throw notFound(column.replace(/_id$/, ''), name)
    return [id]
  }
  const above = await scopeOf(ctx, parent, params, idOf)
  const id = await idOf(ctx, parent, above, name)
  if (parent.key) ctx.names.set(id, name)
  return parent.scope ? [id] : [...above, id]
}

const idIn = (name: string): string | undefined => (isId(name) ? foldId(name) : undefined)

/** The id of the object that a path names. If the resource has a key, the id is looked up. */
export async function findId(
  work: Work,
  resource: Resource,
  scope: readonly string[],
  name: string,
): Promise<string | undefined> {
  if (!resource.key) return idIn(name)
  const [row] = await selectByKey(work, resource, scope, name, 'id')
  return row?.[0] ?? idBesideKey(resource, name)
}

/** The id that a name without a row of that key is. */
const idBesideKey = ({ key }: Resource, name: string): string | undefined =>
  key?.field === 'id' ? undefined : idIn(name)

/** Reads columns of the row that has this key. */
function selectByKey(
  { store, clock }: Work,
  { key, table, scopeColumns, expires }: Resource,
  scope: readonly string[],
  name: string,
  columns: string,
): Promise<readonly Tuple[]> {
  const binds = new Binds([store.id, ...scope])
  const conditions = scopeColumns.map((column, i) => `${column} = $${i + 2}`)
  if (key) conditions.push(key.where?.(name, binds.bind) ?? `${key.field} = ${binds.bind(name)}`)
  if (expires) conditions.push(`NOT ${hasExpired(expires, binds.bind(clock.now()))}`)
  return store.read(
    `SELECT ${columns} FROM ${table} WHERE store_id = $1 AND ${conditions.join(' AND ')}`,
    ...binds.values.slice(1),
  )
}

/** The condition that a row has expired at a bound instant: see `Model.expires`. */
export const hasExpired = (column: string, now: string): string =>
  `(${column} <= ${now}::timestamptz AT TIME ZONE 'UTC')`

/** As `findId`, but throws a Problem (404) if the name cannot be an id. */
export async function resolveId(
  work: Work,
  resource: Resource,
  scope: readonly string[],
  name: string,
): Promise<string> {
  const id = (await findId(work, resource, scope, name)) ?? unbornIdOf(resource, name)
  if (id === undefined) throw notFoundIn(resource, name)
  return id
}

/** Throws a 404 if the parent of a list does not exist; an empty page would hide that. */
export async function mustHaveParent(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
): Promise<void> {
  const parent = resource.parent?.()
  if (!parent) return
  const above = parent.scope ? await scopeOf(ctx, parent, call.params) : scope.slice(0, -1)
  const id = scope.at(-1) ?? ''
  await findById(ctx, parent, id, above, ctx.names.get(id))
}

/** The object that a path names, if this caller may see it; otherwise a Problem (404). */
export async function findByName<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  name: string,
  scope: readonly string[] = [],
): Promise<Row<F>> {
  if (!resource.key)
    return findById(work, resource, await resolveId(work, resource, scope, name), scope, name)
  const columns = rowColumns(resource)
  const [row] = await untilWritten(async () =>
    work.store.rowsOf(resource, await selectByKey(work, resource, scope, name, columns)),
  )
  if (!row) return findById(work, resource, idBesideKey(resource, name) ?? '', scope, name)
  if (await isVisible(work, resource, row)) return row
  throw notFoundIn(resource, name)
}

/**
 * The object with this id, if this caller may see it; otherwise a Problem (404) with its `name`. Finds an `unborn`
 * object by its name before its first write, too.
 */
export async function findById<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  id: string,
  scope: readonly string[],
  name?: string,
): Promise<Row<F>> {
  const row = isId(id) && !isUnborn({ id }) ? await work.store.find(resource, id, scope) : undefined
  if (row && (await isVisible(work, resource, row))) return row
  const unborn = row || name === undefined ? undefined : await unbornRow(work, resource, name)
  if (unborn) return unborn
  throw notFoundIn(resource, name ?? id)
}

type RowCondition = NonNullable<Source['where']>

export const both = (
  one: RowCondition | undefined,
  other: RowCondition | undefined,
): RowCondition | undefined => (one && other ? (bind) => `${one(bind)} AND ${other(bind)}` : (one ?? other))

/** The condition for the rows that a shopper may see; undefined if the caller may see all. */
export function visibleCondition({ who }: Work, resource: Resource): RowCondition | undefined {
  const { visible } = resource
  if (!who.shopper || !visible || visible === 'all') return undefined
  return (bind) => visible(who, bind) ?? 'true'
}

export async function isVisible(work: Work, resource: Resource, row: Row): Promise<boolean> {
  const where = visibleCondition(work, resource)
  if (!where) return true
  const binds = new Binds([work.store.id, row.id])
  const text =
    `SELECT 1 FROM ${resource.table} WHERE store_id = $1 AND id = $2 AND ${where(binds.bind)}` as const
  return (await work.store.read(text, ...binds.values.slice(1))).length > 0
}

export const notFoundIn = (resource: Resource, name: string) => notFound(nounOf(resource), name)

/** The objects with these ids, each once, in the order of the ids. */
export const findAll = <F extends Fields>(
  work: Work,
  of: Resource<F>,
  ids: readonly string[],
): Promise<readonly Row<F>[]> =>
  findRows(of, ids, rowColumns(of), async (sql) => work.store.rowsOf(of, await work.store.page(sql)))

/** As `findAll`, for a response in parts: each long row is read when it is shown. */
export function findListed<F extends Fields>(
  work: Work,
  of: Resource<F>,
  ids: readonly string[],
): Promise<readonly ListedRow<F>[]> {
  const charsMax = charsMaxOf({ whole: ids.length > limits.pageMax })
  return findRows(of, ids, cutColumns(of, '', charsMax), async (sql) => {
    const tuples = await work.store.page(sql)
    return listedRows(
      work.store,
      of,
      tuples,
      { at: 0, charsMax },
      async (id) => (await findAll(work, of, [id]))[0],
    )
  })
}

async function findRows<R extends { readonly id: string }>(
  { table }: Resource,
  ids: readonly string[],
  columns: string,
  read: (sql: Sql) => Promise<readonly R[] | undefined>,
): Promise<readonly R[]> {
  if (!ids.length) return []
  const text = `SELECT ${columns} FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[])`
  // Up to the length of a page, many rows are as fast as one.
  const sql = { text, values: ['', ids], ...(ids.length <= limits.pageMax && { page: true }) }
  const rows = await untilWritten(() => read(sql))
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => rowsById.get(id) ?? [])
}
