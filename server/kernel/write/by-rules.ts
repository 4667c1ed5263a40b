import type { Call } from '../declare/call.ts'
import type { Limit, Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { cachedDefinition, currentDefinition } from '../query/definitions.ts'
import { hasExpired, isVisible, notFoundIn } from '../query/find.ts'
import { totalSql } from '../query/places.ts'
import { lockKey } from '../query/unborn.ts'
import { withAddedFields } from '../shape/added-fields.ts'
import { type Answer, noContent } from '../shape/answer.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import type { Row } from '../shape/model.ts'
import { untilWritten } from '../storage/until-written.ts'
import type { Work } from '../work/context.ts'
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

/** As `add`, with values that depend on the added fields of the store. */
export async function addBy<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  read: ReadBody<F, New<F>>,
  id: string = newId(),
): Promise<Row<F>> {
  return byRules(work, resource.afterWrite, async (work, last) => {
    const row = await insertAs(work, resource, scope, async (own) => {
      const draft = newDraft(own, scope, read(own), id)
      const key = resource.unborn && resource.key && draft.values[resource.key.field]
      if (key) await lockKey(work, resource, String(key))
      if (key && resource.expires) await removeExpired(work, resource, resource.expires, String(key))
      await resource.beforeWrite?.(work, draft)
      if (resource.most) await mustHaveRoom(work, resource, resource.most, scope)
      return work.store.insert(own, draft, last)
    })
    await resource.afterWrite?.(work, row, undefined)
    return row
  })
}

/** Deletes the expired object that still has the key of a new one. */
async function removeExpired(
  { store, clock }: Work,
  resource: Resource,
  column: string,
  name: string,
): Promise<void> {
  const { key } = resource
  await store.removeAll(
    resource,
    (bind) => `${key?.where?.(name, bind)} AND ${hasExpired(column, bind, clock.now())}`,
  )
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
async function insertAs<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  write: (own: Resource<F>) => Promise<Row<F> | undefined>,
): Promise<Row<F>> {
  const written = await write(cachedDefinition(work, resource, scope))
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

/**
 * Refuses one object more than the limit. It locks the parent, so that concurrent creates are counted one at a time.
 */
async function mustHaveRoom(
  work: Work,
  resource: Resource,
  { n, detail }: Limit,
  scope: readonly string[],
): Promise<void> {
  const parent = resource.parent?.()
  if (!parent) await work.store.advisoryLock(resource.table)
  else if (!(await work.store.lock(parent, scope.at(-1) ?? '')).size)
    throw notFoundIn(parent, scope.at(-1) ?? '')
  const most = typeof n === 'number' ? n : await n(work)
  const [counted] = await work.store.run(totalSql(resource), ...scope)
  if (Number(counted?.[0]) >= most) throw new Problem('unprocessable', detail(most))
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
export async function changeBy<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  read: ReadBody<F, Changes<F>>,
  ifMatch?: string,
): Promise<Row<F>> {
  const write = async (work: Work, last: boolean) =>
    update(work, resource, await current(work, resource, scope, id, ifMatch), read, last)
  return byRules(work, resource.afterWrite, (work, last) => untilWritten(() => write(work, last)))
}

/** As `change`, for a row that the caller has locked: it need not be read again. */
export async function changeLocked<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  before: Row<F>,
  changes: Changes<F>,
): Promise<Row<F>> {
  const row = await update(work, resource, before, () => changes, false)
  // The store has changed its added fields since it was read.
  return row ?? change(work, resource, before.scope, before.id, changes)
}

/** An update that changes nothing writes nothing. Undefined if another write, or a new definition, came first. */
async function update<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  before: Row<F>,
  read: ReadBody<F, Changes<F>>,
  last: boolean,
): Promise<Row<F> | undefined> {
  const own = withAddedFields(resource, before.added)
  const draft = changedDraft(own, before, read(own))
  await resource.beforeWrite?.(work, draft)
  if (isUnchanged(resource.fields, draft)) return before
  const row = await work.store.update(resource, before, draft.values, last)
  if (row) await resource.afterWrite?.(work, row, before)
  return row
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

/** The current object, if the caller's `If-Match` matches it. */
async function current<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  id: string,
  ifMatch: string | undefined,
): Promise<Row<F>> {
  const row = isId(id) ? await work.store.findWhole(resource, id, scope) : undefined
  if (!row || !(await isVisible(work, resource, row))) throw notFoundIn(resource, id)
  mustMatchRow(row, ifMatch)
  return row
}
