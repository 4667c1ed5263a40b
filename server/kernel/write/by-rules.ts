import type { Call } from '../declare/call.ts'
import type { Limit, Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { cachedDefinition, currentDefinition } from '../query/definitions.ts'
import { isVisible, notFoundIn } from '../query/find.ts'
import { totalSql } from '../query/places.ts'
import { type Answer, noContent } from '../shape/answer.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import type { Row, Whole } from '../shape/model.ts'
import { withAddedFields } from '../storage/added-fields.ts'
import { hasLostRace } from '../storage/database.ts'
import type { Last } from '../storage/transaction.ts'
import { untilWritten } from '../storage/until-written.ts'
import type { Work } from '../work/context.ts'
import { claimKey } from './claim-key.ts'
import { changedDraft, isUnchanged, newDraft } from './drafts.ts'
import { mustMatchRow } from './must-match.ts'

/** Reads a body by the resource as its store defines it. */
export type ReadBody<F extends Fields, T> = (own: Resource<F>) => T

/** Caches the result of `read` for the same resource. */
export function readOnce<F extends Fields, T>(read: ReadBody<F, T>): ReadBody<F, T> {
  let last: { readonly own: Resource<F>; readonly value: T } | undefined
  return (own) => {
    if (last?.own !== own) last = { own, value: read(own) }
    return last.value
  }
}

/** Creates an object by the resource's rules. Missing values get their defaults. */
export const add = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  values: New<F>,
  id?: string,
): Promise<Row<F>> => addBy(work, resource, scope, () => values, id)

/** As `add`, below a parent that the caller has locked, and that has `count` such objects. */
export const addCounted = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  values: New<F>,
  count: number,
): Promise<Row<F>> => addBy(work, resource, scope, () => values, newId(), count)

/** As `add`, with values that depend on the added fields of the store. */
export async function addBy<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  read: ReadBody<F, New<F>>,
  id: string = newId(),
  count?: number,
): Promise<Row<F>> {
  return byRules(work, resource.afterWrite, async (work, last) => {
    const row = await insertAs(work, resource, scope, async (own) => {
      const draft = newDraft(own, scope, read(own), id)
      const key = resource.unborn && resource.key && draft.values[resource.key.field]
      if (key) await claimKey(work, resource, String(key))
      await resource.beforeWrite?.(work, draft)
      if (resource.most) await mustHaveRoom(work, resource, resource.most, scope, count)
      return work.store.insert(own, draft, last)
    })
    await resource.afterWrite?.(work, row, undefined)
    return row
  })
}

/** What a thing holds from now on, and whether its write is the last statement of the transaction. */
interface ThingWrite<C> {
  readonly inside?: C | undefined
  readonly last?: Last
}

/** As `addBy`, for an object whose key the caller has claimed (`claimKey`). */
export async function addClaimed<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  read: ReadBody<F, New<F>>,
  { inside, last = false }: ThingWrite<C> = {},
): Promise<Whole<F, C>> {
  const id = newId()
  const row = await insertAs(work, resource, [], async (own) => {
    const draft = newDraft(own, [], read(own), id, inside)
    await resource.beforeWrite?.(work, draft)
    return work.store.insert(own, draft, last)
  })
  await resource.afterWrite?.(work, row, undefined)
  return row
}

/** As `add`, without the resource's rules. */
export const insert = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  values: New<F>,
  id: string = newId(),
): Promise<Row<F>> =>
  insertAs(work, resource, scope, (own) => work.store.insert(own, newDraft(own, scope, values, id)))

/** Inserts a row by the cached definition; if the store has changed its added fields, again by the current one. */
async function insertAs<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  scope: readonly string[],
  write: (own: Resource<F, C>) => Promise<Whole<F, C> | undefined>,
): Promise<Whole<F, C>> {
  const written = await write(cachedDefinition(work, resource, scope)).catch(async (error: unknown) => {
    // A last write fails where another one writes nothing. When the transaction begins again, it has the definition.
    if (hasLostRace(error)) await currentDefinition(work, resource, scope)
    throw error
  })
  return written ?? untilWritten(async () => write(await currentDefinition(work, resource, scope)))
}

/**
 * Runs the rules and their write as a unit. If no rule follows the write, and the caller has no open transaction, the
 * write is the last statement: it needs a transaction only if an earlier rule has locked or written something.
 */
function byRules<T>(
  work: Work,
  follows: unknown,
  write: (work: Work, last: boolean) => Promise<T>,
): Promise<T> {
  if (work.store.inTransaction) return write(work, false)
  return work.transaction((inside) => write(inside, follows === undefined))
}

/** Refuses one object more than the limit. */
async function mustHaveRoom(
  work: Work,
  resource: Resource,
  { n, detail }: Limit,
  scope: readonly string[],
  count?: number,
): Promise<void> {
  const counted = count ?? (await lockAndCount(work, resource, scope))
  const most = typeof n === 'number' ? n : await n(work)
  if (counted >= most) throw new Problem('unprocessable', detail(most))
}

/** Counts the objects of a scope. It locks their parent, so that concurrent creates are counted one at a time. */
async function lockAndCount(work: Work, resource: Resource, scope: readonly string[]): Promise<number> {
  const parent = resource.parent?.()
  if (!parent) await work.store.advisoryLock(resource.table)
  else if (!(await work.store.lock(parent, scope.at(-1) ?? '')).size)
    throw notFoundIn(parent, scope.at(-1) ?? '')
  const [counted] = await work.store.run(totalSql(resource), ...scope)
  return Number(counted?.[0])
}

/** Changes some values of an object by the resource's rules. If a rule refuses, nothing is stored. */
export const change = <F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  changes: Changes<F>,
  ifMatch?: string,
): Promise<Row<F>> => changeBy(work, resource, scope, id, () => changes, ifMatch)

/** As `change`, with changes that depend on the added fields of the store. */
export async function changeBy<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  scope: readonly string[],
  id: string,
  read: ReadBody<F, Changes<F>>,
  ifMatch?: string,
): Promise<Whole<F, C>> {
  const write = async (work: Work, last: boolean) =>
    update(work, resource, await current(work, resource, scope, id, ifMatch), { read, last })
  return byRules(work, resource.afterWrite, (work, last) => untilWritten(() => write(work, last)))
}

/** As `changeBy`, for a row that the caller has locked: it need not be read again. */
export async function changeLocked<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  locked: Whole<F, C>,
  read: ReadBody<F, Changes<F>>,
  write: ThingWrite<C> = {},
): Promise<Whole<F, C>> {
  let before = locked
  // If the store has changed its added fields since the row was read, it is read again.
  return untilWritten(async () => {
    const row = await update(work, resource, before, { read, ...write })
    if (!row) before = await current(work, resource, locked.scope, locked.id)
    return row
  })
}

/** What an update changes. */
interface Update<F extends Fields, C> extends ThingWrite<C> {
  readonly read: ReadBody<F, Changes<F>>
}

/** An update that changes nothing writes nothing. Undefined if another write, or a new definition, came first. */
async function update<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  before: Whole<F, C>,
  { read, inside, last = false }: Update<F, C>,
): Promise<Whole<F, C> | undefined> {
  const own = withAddedFields(resource, before.added)
  const draft = changedDraft(own, before, read(own), inside)
  await resource.beforeWrite?.(work, draft)
  if (isUnchanged(resource.fields, draft)) return before
  const row = await work.store.update(
    resource,
    before,
    { ...draft, inside: draft.inside ?? before.inside },
    last,
  )
  if (row) await resource.afterWrite?.(work, row, before)
  return row
}

/** Deletes an object by the resource's rules, and returns what a delete answers. */
export async function remove(
  work: Work,
  resource: Resource,
  scope: readonly string[],
  id: string,
  { ifMatch }: Pick<Call, 'ifMatch'>,
): Promise<Answer> {
  const write = async (work: Work, last: boolean) =>
    removeRow(work, resource, await current(work, resource, scope, id, ifMatch), last)
  return byRules(work, resource.afterDelete, (work, last) => untilWritten(() => write(work, last)))
}

/** Deletes an object, as read, by the resource's rules. Undefined if another write came first. */
export async function removeRow<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  row: Whole<F, C>,
  last = false,
): Promise<Answer | undefined> {
  await resource.beforeDelete?.(work, row)
  if (!(await work.store.remove(resource, row, last))) return undefined
  await resource.afterDelete?.(work, row)
  return noContent
}

/** The current object, if the caller's `If-Match` matches it. */
async function current<F extends Fields, C>(
  work: Work,
  resource: Resource<F, C>,
  scope: readonly string[],
  id: string,
  ifMatch?: string,
): Promise<Whole<F, C>> {
  const row = isId(id) ? await work.store.findWhole(resource, id, scope) : undefined
  if (!row || !(await isVisible(work, resource, row))) throw notFoundIn(resource, id)
  mustMatchRow(row, ifMatch)
  return row
}
