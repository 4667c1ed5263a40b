import { newId } from '../ids.ts'
import { Memory } from '../memory.ts'
import { addedColumns, toAdded, withAddedFields } from '../shape/added-fields.ts'
import type { Added, AddedField, Model } from '../shape/model.ts'
import type { Work } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'

// What was added when this process last had reason to look: it may be something else by now.
const lately = perInstance(() => new Memory<string, Added>(10_000))

const nameOf = ({ addedUnder, scopeColumns }: Model, scope: readonly string[]): string =>
  typeof addedUnder === 'object' ? (scope[scopeColumns.indexOf(addedUnder.column)] ?? '') : (addedUnder ?? '')

/** The resource as its store had it lately. */
export function cachedDefinition<M extends Model>(work: Work, of: M, scope: readonly string[]): M {
  return of.addedUnder
    ? withAddedFields(of, lately(work.instance).get(`${work.store.id} ${nameOf(of, scope)}`))
    : of
}

/** The resource as its store has it now. */
export async function currentDefinition<M extends Model>(
  work: Work,
  of: M,
  scope: readonly string[],
): Promise<M> {
  if (!of.addedUnder) return of
  const name = nameOf(of, scope)
  const added = toAdded((await work.store.read(`${addedColumns} AND name = $2`, name))[0])
  const cache = lately(work.instance)
  if (added) cache.set(`${work.store.id} ${name}`, added)
  else cache.delete(`${work.store.id} ${name}`)
  return withAddedFields(of, added)
}

/** The resource as its store has it now, and has it to the end of the transaction. */
export async function lockedDefinition<M extends Model>(
  work: Work,
  of: M,
  scope: readonly string[],
): Promise<M> {
  if (!of.addedUnder) return of
  const rows = await work.store.readAndLock(`${addedColumns} AND name = $2`, nameOf(of, scope))
  return withAddedFields(of, toAdded(rows[0]))
}

/**
 * What a body says, read as for the resource that its store had lately; where that refuses it, as for the one that it
 * has now. With the resource that it was read for.
 */
export async function readByDefinition<M extends Model, T>(
  work: Work,
  of: M,
  scope: readonly string[],
  read: (own: M) => T,
): Promise<T> {
  const own = cachedDefinition(work, of, scope)
  try {
    return read(own)
  } catch (refusal) {
    const now = await currentDefinition(work, of, scope)
    if (now === own) throw refusal
    return read(now)
  }
}

/**
 * What the store adds under a name is this from now on. Needs a transaction, to the end of which nobody writes objects
 * of the resource: what is changed in them meanwhile agrees with it. `read` tells the fields when nobody else defines
 * them.
 */
export async function defineAddedFields(
  work: Work,
  name: string,
  read: () => Promise<readonly AddedField[]>,
): Promise<void> {
  const { store } = work
  await store.advisoryLock(`added-fields ${name}`)
  // Who writes such objects keeps the row; an update of it alone would not wait for them.
  await store.run('SELECT FROM added_fields WHERE store_id = $1 AND name = $2 FOR UPDATE', name)
  const fields = await read()
  if (!fields.length) {
    await store.run('DELETE FROM added_fields WHERE store_id = $1 AND name = $2', name)
    return
  }
  await store.run(
    `INSERT INTO added_fields (store_id, name, state, fields) VALUES ($1, $2, $3, $4)
     ON CONFLICT (store_id, name) DO UPDATE SET state = excluded.state, fields = excluded.fields`,
    name,
    newId(),
    JSON.stringify(fields),
  )
}
