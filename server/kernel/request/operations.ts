import { type Limit, nounOf, type Resource, type Row } from '../declare/resource.ts'
import { LostRace, notFound, Problem } from '../errors.ts'
import { type Answer, listAnswer, noContent, objectAnswer } from '../http/answer.ts'
import { isId, newId } from '../ids.ts'
import { askForMerge, mergeWantedFrom } from '../query/merge-totals.ts'
import { fetchPage } from '../query/page.ts'
import { parse } from '../query/parse.ts'
import { totalSql } from '../query/places.ts'
import type { Source } from '../query/sql.ts'
import { ownLately, ownNow, readAs, withAdded } from '../shape/added-fields.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import { Binds } from '../storage/binds.ts'
import type { Ctx, Work } from '../work/context.ts'
import { changedDraft, newDraft } from '../write/drafts.ts'
import { type Input, input } from '../write/input.ts'
import { included } from './included.ts'
import { mustMatchRow } from './must-match.ts'
import { isUnborn, lockKey, unbornIdOf, unbornRow } from './unborn.ts'

/** The request, as far as the five operations of a resource look at it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  /** Path and raw query of the request's URL. */
  readonly path: string
  readonly query: string
  readonly ifMatch: string | undefined
  readonly body: unknown
}

const inputs = new WeakMap<Resource, unknown>()

/** Reads bodies of the resource: see `Input`. */
export function inputOf<F extends Fields>(resource: Resource<F>): Input<F> {
  const known = inputs.get(resource) as Input<F> | undefined
  if (known) return known
  const made = input(resource)
  inputs.set(resource, made)
  return made
}

const inputsOfShoppers = new WeakMap<Resource, Input<Fields>>()

/** Reads bodies of this caller: a store may close fields that it has added to shoppers. */
function inputFor({ who }: Work, resource: Resource): Input<Fields> {
  const closed = who.shopper ? resource.added?.fields.filter((one) => one.closedToShoppers) : undefined
  if (!closed?.length) return inputOf(resource)
  const known = inputsOfShoppers.get(resource)
  if (known) return known
  const names = new Set(closed.map(({ name }) => name))
  const open = Object.entries(resource.fields).filter(([name]) => !names.has(name))
  const made = input({ ...resource, fields: Object.fromEntries(open) })
  inputsOfShoppers.set(resource, made)
  return made
}

/** Where the resource's objects are for this request; throws 404 for an address that cannot be one. */
export async function scopeOf(
  ctx: Ctx,
  resource: Resource,
  params: Call['params'],
  idOf: typeof resolve = resolve,
): Promise<readonly string[]> {
  if (resource.scope) return (await resource.scope.of?.(ctx, params)) ?? []
  const [name] = resource.scopeColumns.slice(-1)
  if (name === undefined) return []
  const given = params[name] ?? ''
  const parent = resource.parent?.()
  if (!parent) {
    const id = idIn(given)
    if (id === undefined) throw notFound(name.replace(/_id$/, ''), given)
    return [id]
  }
  const above = await scopeOf(ctx, parent, params, idOf)
  const id = await idOf(ctx, parent, above, given)
  if (parent.key) ctx.names.set(id, given)
  return parent.scope ? [id] : [...above, id]
}

/** Ids are compared as text, as PostgreSQL writes them: in lower case. */
const idIn = (name: string): string | undefined => (isId(name) ? name.toLowerCase() : undefined)

/** The id of the object that an address names, as far as the address tells; of one with a key it is looked up. */
export async function lookUp(
  { store }: Work,
  { key, table, scopeColumns }: Resource,
  scope: readonly string[],
  name: string,
): Promise<string | undefined> {
  if (!key) return idIn(name)
  const binds = new Binds([store.id, ...scope])
  const conditions = scopeColumns.map((column, i) => `${column} = $${i + 2}`)
  conditions.push(key.where?.(name, binds.bind) ?? `${key.field} = ${binds.bind(name)}`)
  const [found] = await store.glance(
    `SELECT id FROM ${table} WHERE store_id = $1 AND ${conditions.join(' AND ')}`,
    ...binds.values.slice(1),
  )
  return found?.[0] ?? (key.field === 'id' ? undefined : idIn(name))
}

/** As `lookUp`; a Problem (404) for an address that cannot be one. */
export async function resolve(
  work: Work,
  resource: Resource,
  scope: readonly string[],
  name: string,
): Promise<string> {
  const id = (await lookUp(work, resource, scope, name)) ?? unbornIdOf(resource, name)
  if (id === undefined) throw missing(resource, name)
  return id
}

/** A page of the resource's objects; `where` narrows the list beyond its scope. */
export async function list(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
  where?: Source['where'],
): Promise<Answer> {
  const ask = parse(call.query)
  await mustHaveParent(ctx, resource, scope, call)
  const narrowed = both(visibleTo(ctx, resource), where)
  const page = await fetchPage(ctx, { resource, scope, ...(narrowed && { where: narrowed }) }, ask)
  if (page.unmerged > mergeWantedFrom) askForMerge(ctx)
  const meta = await resource.listMeta?.of(ctx, ask, page.total)
  const more = await included(ctx, resource, ask.include, page.rows)
  return listAnswer(resource, page, ctx, call, meta, more)
}

/** A parent that is not there makes the list a 404, not an empty page. */
async function mustHaveParent(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
): Promise<void> {
  const parent = resource.parent?.()
  if (!parent) return
  const above = parent.scope ? await scopeOf(ctx, parent, call.params) : scope.slice(0, -1)
  const id = scope.at(-1) ?? ''
  await findSeen(ctx, parent, id, above, ctx.names.get(id))
}

/** The object that an address names, if there is one that this caller may see; a Problem (404) otherwise. */
export async function findVisible<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  name: string,
  scope: readonly string[] = [],
): Promise<Row<F>> {
  return findSeen(work, resource, await resolve(work, resource, scope, name), scope, name)
}

/**
 * The object with this id, if there is one that this caller may see; a Problem (404) with its `name` otherwise. What is
 * `unborn` is found by its name before its first write, too.
 */
export async function findSeen<F extends Fields>(
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
  throw missing(resource, name ?? id)
}

type Condition = NonNullable<Source['where']>

const both = (one: Condition | undefined, other: Condition | undefined): Condition | undefined =>
  one && other ? (bind) => `${one(bind)} AND ${other(bind)}` : (one ?? other)

/** The rows that a shopper may see; undefined when the caller may see all of them. */
function visibleTo({ who }: Work, resource: Resource): Condition | undefined {
  const { visible } = resource
  if (!who.shopper || !visible || visible === 'all') return undefined
  return (bind) => visible(who, bind) ?? 'true'
}

async function isVisible(work: Work, resource: Resource, row: Row): Promise<boolean> {
  const where = visibleTo(work, resource)
  if (!where) return true
  const binds = new Binds([work.store.id, row.id])
  const text =
    `SELECT 1 FROM ${resource.table} WHERE store_id = $1 AND id = $2 AND ${where(binds.bind)}` as const
  return (await work.store.glance(text, ...binds.values.slice(1))).length > 0
}

const missing = (resource: Resource, name: string) => notFound(nounOf(resource), name)

export async function create(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
  id?: string,
): Promise<Answer> {
  const read = readOnce((own: Resource) => inputFor(ctx, own).create(call.body))
  await readAs(ctx, resource, scope, read)
  // For all others the table's own key to the parent is enough.
  if (ctx.who.shopper) await mustHaveParent(ctx, resource, scope, call)
  return objectAnswer(201, resource, await addBy(ctx, resource, scope, read, id), ctx)
}

/** What a body says, for the resource as its store has it. */
type Read<F extends Fields, T> = (own: Resource<F>) => T

/** Reads a body once for the same resource. */
function readOnce<F extends Fields, T>(read: Read<F, T>): Read<F, T> {
  let last: { readonly own: Resource<F>; readonly said: T } | undefined
  return (own) => {
    if (last?.own !== own) last = { own, said: read(own) }
    return last.said
  }
}

/** Writes a new object by the resource's rules; what is not given has its default. */
export const add = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  given: New<F>,
  id?: string,
): Promise<Row<F>> => addBy(work, resource, scope, () => given, id)

/** As `add`, with values that depend on what the store has added to the resource. */
export async function addBy<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  read: Read<F, New<F>>,
  id: string = newId(),
): Promise<Row<F>> {
  return byRules(work, resource.afterWrite, async (work, last) => {
    const row = await insertAs(work, resource, scope, async (own) => {
      const draft = newDraft(own, scope, read(own), id)
      const key = resource.unborn && resource.key && draft.values[resource.key.field]
      if (key) await lockKey(work, resource, String(key))
      await resource.beforeWrite?.(work, draft)
      if (resource.most) await mustHaveRoom(work, resource, resource.most, scope)
      return work.store.insert(own, draft, last)
    })
    await resource.afterWrite?.(work, row, undefined)
    return row
  })
}

/** As `add`, but not by the resource's rules. */
export const insert = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  given: New<F>,
): Promise<Row<F>> =>
  insertAs(work, resource, scope, (own) => work.store.insert(own, newDraft(own, scope, given, newId())))

/** Inserts a row of the resource as its store has it: again where the store has added other fields by then. */
async function insertAs<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  write: (own: Resource<F>) => Promise<Row<F> | undefined>,
): Promise<Row<F>> {
  const written = await write(ownLately(work, resource, scope))
  return written ?? untilWritten(async () => write(await ownNow(work, resource, scope)))
}

/**
 * Rules and the write that they are for: all of it, or nothing. Where no rule follows the write, and nobody else has a
 * transaction open, the write is the last statement: it is in one only when a rule before it has locked or written.
 */
function byRules<T>(
  work: Work,
  follows: unknown,
  write: (work: Work, last: boolean) => Promise<T>,
): Promise<T> {
  if (work.store.inTransaction) return write(work, false)
  return work.transaction((inside) => write(inside, follows === undefined))
}

/** Refuses one object more than there may be. What is above the list is held, so that none is counted twice. */
async function mustHaveRoom(
  work: Work,
  resource: Resource,
  { n, detail }: Limit,
  scope: readonly string[],
): Promise<void> {
  const parent = resource.parent?.()
  if (!parent) await work.store.takeTurn(resource.table)
  else if (!(await work.store.hold(parent, scope.at(-1) ?? '')).size)
    throw missing(parent, scope.at(-1) ?? '')
  const most = typeof n === 'number' ? n : await n(work)
  const [counted] = await work.store.rows(totalSql(resource), ...scope)
  if (Number(counted?.[0]) >= most) throw new Problem('unprocessable', detail(most))
}

export async function get(ctx: Ctx, resource: Resource, scope: readonly string[], id: string, call: Call) {
  const row = await findSeen(ctx, resource, id, scope, resource.unborn && call.params.id)
  const more = resource.include ? await included(ctx, resource, parse(call.query).include, [row]) : ''
  return objectAnswer(200, resource, row, ctx, more)
}

export const update = (ctx: Ctx, resource: Resource, scope: readonly string[], id: string, call: Call) =>
  updateBy(ctx, resource, scope, call, (read) => changeBy(ctx, resource, scope, id, read, call.ifMatch))

/** An update whose `write` stores what the body says. */
export async function updateBy(
  ctx: Ctx,
  resource: Resource,
  scope: readonly string[],
  call: Call,
  write: (read: Read<Fields, Changes<Fields>>) => Promise<Row>,
): Promise<Answer> {
  const read = readOnce((own: Resource) => inputFor(ctx, own).update(call.body))
  await readAs(ctx, resource, scope, read)
  return objectAnswer(200, resource, await write(read), ctx)
}

/** Changes some values of an object by the resource's rules: all of it, or nothing when the rules refuse. */
export const change = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  changes: Changes<F>,
  ifMatch?: string,
): Promise<Row<F>> => changeBy(work, resource, scope, id, () => changes, ifMatch)

/** As `change`, by changes that hang on what the store has added to the resource. */
export async function changeBy<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  read: Read<F, Changes<F>>,
  ifMatch?: string,
): Promise<Row<F>> {
  const write = async (work: Work, last: boolean) => {
    const before = await current(work, resource, scope, id, ifMatch)
    const own = withAdded(resource, before.added)
    const draft = changedDraft(own, before, read(own))
    await resource.beforeWrite?.(work, draft)
    const row = await work.store.update(resource, before, draft.values, last)
    if (row) await resource.afterWrite?.(work, row, before)
    return row
  }
  return byRules(work, resource.afterWrite, (work, last) => untilWritten(() => write(work, last)))
}

export async function remove(
  work: Work,
  resource: Resource,
  scope: readonly string[],
  id: string,
  { ifMatch }: Pick<Call, 'ifMatch'>,
): Promise<Answer> {
  const write = async (work: Work, last: boolean) => {
    const row = await current(work, resource, scope, id, ifMatch)
    await resource.beforeDelete?.(work, row)
    if (!(await work.store.remove(resource, row, last))) return undefined
    await resource.afterDelete?.(work, row)
    return noContent
  }
  return byRules(work, resource.afterDelete, (work, last) => untilWritten(() => write(work, last)))
}

// Each lost race means that another write of the same object was stored: under load this ends, and does so soon.
const writeAttemptsMax = 50

/** Runs a write until no other one came between what it read and what it wrote: then it has a result. */
export async function untilWritten<T>(write: () => Promise<T | false | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt++) {
    const result = await write()
    if (result) return result
  }
  throw new LostRace()
}

/** The object as it is, if the caller's `If-Match` agrees. */
async function current<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  ifMatch: string | undefined,
): Promise<Row<F>> {
  const row = isId(id) ? await work.store.findWhole(resource, id, scope) : undefined
  if (!row || !(await isVisible(work, resource, row))) throw missing(resource, id)
  mustMatchRow(resource, row, ifMatch)
  return row
}
