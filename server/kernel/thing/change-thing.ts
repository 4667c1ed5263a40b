import type { Resource } from '../declare/resource.ts'
import { isId } from '../ids.ts'
import { cachedDefinition } from '../query/definitions.ts'
import { findId, isVisible, notFoundIn } from '../query/find.ts'
import { unbornRow } from '../query/unborn.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import type { Row, Whole } from '../shape/model.ts'
import type { Last } from '../storage/transaction.ts'
import type { Work } from '../work/context.ts'
import { addClaimed, changeLocked, type ReadBody } from '../write/by-rules.ts'
import { lockByKey, lockOrClaim } from '../write/claim-key.ts'
import { firstValues } from '../write/drafts.ts'

/**
 * Things: objects with parts. A deed changes a thing as a whole. Nobody else changes or deletes the
 * thing from the moment when the deed reads it until the transaction ends.
 */

/** A thing as a deed finds it. One that nobody has written holds nothing yet. */
export type Before<F extends Fields, C> = Row<F> & { readonly inside?: C | undefined }

/**
 * What a deed makes of a thing: the values that it changes, possibly as the store's added fields say, and what the
 * thing holds then.
 */
interface DeedOutcome<F extends Fields, C> {
  readonly values?: Changes<F> | ReadBody<F, Changes<F>> | undefined
  readonly inside?: C
}

/** Undefined if the deed changes nothing. */
type Deed<F extends Fields, C> = (
  before: Before<F, C>,
) => Promise<DeedOutcome<F, C> | undefined> | DeedOutcome<F, C> | undefined

/** A thing before and after a deed. */
interface DeedChange<F extends Fields, C> {
  readonly before: Before<F, C>
  readonly after: Whole<F, C>
}

/** Locks a thing, and reads it as a whole; undefined if there is none. Throws a 404 if the caller may not see it. */
export async function lockThing<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  name: string,
): Promise<Whole<F, C> | undefined> {
  const row = of.unborn ? await lockByKey(work, of, name) : await lockById(work, of, name)
  if (row && !(await isVisible(work, of, row))) throw notFoundIn(of, name)
  return row
}

async function lockById<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  name: string,
): Promise<Whole<F, C> | undefined> {
  const id = await findId(work, of, [], name)
  return id === undefined ? undefined : (await work.store.lockWhole(of, [id]))[0]
}

/**
 * Applies a deed to a thing, and writes the outcome by the rules of its resource. The first deed creates a thing that
 * is `unborn`. A Problem refuses the deed: nothing is stored. Needs a transaction. If the write of the thing `isLast`,
 * it ends the transaction, unless that goes on for a reason of the kernel's: nothing that follows may refuse or write.
 */
export async function changeThing<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  name: string,
  deed: Deed<F, C>,
  isLast = false,
): Promise<DeedChange<F, C>> {
  const last = isLast && !of.afterWrite && !work.isRehearsal && 'with commit'
  const locked = await (of.unborn ? lockOrClaim : lockById)(work, of, name)
  if (locked) {
    if (!(await isVisible(work, of, locked))) throw notFoundIn(of, name)
    return write(work, of, locked, await deed(locked), last)
  }
  const before = await unbornRow(work, of, name, cachedDefinition)
  if (!before) throw notFoundIn(of, name)
  const { values, inside } = (await deed(before)) ?? {}
  const read = readerOf(values)
  const first: ReadBody<F, New<F>> = (own) => firstValues(own, before, read(own))
  return { before, after: await addClaimed(work, of, first, { inside, last }) }
}

/**
 * Applies one deed to several things, which it gets in the order of their ids. It returns their outcomes in the same
 * order. This is for what the server does itself: it does not matter which things the caller may see. A Problem
 * refuses all. Needs a transaction. `read` goes in the message of the locks, behind them, and sees what was committed
 * before they were free.
 */
export async function changeThings<F extends Fields, C, O extends DeedOutcome<F, C> | undefined, R = void>(
  work: Work,
  of: Resource<F, C>,
  ids: readonly string[],
  deed: (things: readonly Whole<F, C>[], read: R) => Promise<readonly O[]>,
  read: () => Promise<R> | R = () => undefined as R,
): Promise<readonly (DeedChange<F, C> & { readonly outcome: O })[]> {
  const [things, found] = await Promise.all([work.store.lockWhole(of, ids.filter(isId)), read()])
  const changed = []
  for (const [i, outcome] of (await deed(things, found)).entries()) {
    const thing = things[i]
    if (thing) changed.push({ ...(await write(work, of, thing, outcome)), outcome })
  }
  return changed
}

async function write<F extends Fields, C>(
  work: Work,
  of: Resource<F, C>,
  before: Whole<F, C>,
  { values, inside }: DeedOutcome<F, C> = {},
  last: Last = false,
): Promise<DeedChange<F, C>> {
  if (values === undefined && inside === undefined) return { before, after: before }
  return { before, after: await changeLocked(work, of, before, readerOf(values), { inside, last }) }
}

const readerOf = <F extends Fields>(
  values: Changes<F> | ReadBody<F, Changes<F>> = {},
): ReadBody<F, Changes<F>> => (typeof values === 'function' ? values : () => values)
