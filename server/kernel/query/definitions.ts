import { Memory } from '../memory.ts'
import type { AddedFields, Model } from '../shape/model.ts'
import { addedColumns, toAddedFields, withAddedFields } from '../storage/added-fields.ts'
import type { Work } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'

// The added fields that this process last read. They may have changed since.
const caches = perInstance(() => new Memory<string, AddedFields>(10_000))

const nameOf = ({ addedUnder, scopeColumns }: Model, scope: readonly string[]): string =>
  typeof addedUnder === 'object' ? (scope[scopeColumns.indexOf(addedUnder.column)] ?? '') : (addedUnder ?? '')

/** The resource with the added fields that this process last read. */
export function cachedDefinition<M extends Model>(work: Work, of: M, scope: readonly string[]): M {
  return of.addedUnder
    ? withAddedFields(of, caches(work.instance).get(`${work.store.id} ${nameOf(of, scope)}`))
    : of
}

/** The resource with the added fields that the store has now. */
export async function currentDefinition<M extends Model>(
  work: Work,
  of: M,
  scope: readonly string[],
): Promise<M> {
  if (!of.addedUnder) return of
  const name = nameOf(of, scope)
  const added = toAddedFields((await work.store.read(`${addedColumns} AND name = $2`, name))[0])
  const cache = caches(work.instance)
  if (added) cache.set(`${work.store.id} ${name}`, added)
  else cache.delete(`${work.store.id} ${name}`)
  return withAddedFields(of, added)
}

/** The resource with the added fields that the store has now. They cannot change until the transaction ends. */
export async function lockedDefinition<M extends Model>(
  work: Work,
  of: M,
  scope: readonly string[],
): Promise<M> {
  if (!of.addedUnder) return of
  const rows = await work.store.readAndLock(`${addedColumns} AND name = $2`, nameOf(of, scope))
  return withAddedFields(of, toAddedFields(rows[0]))
}

/**
 * Reads a body by the cached definition. If that refuses the body and the store has a newer definition, reads it by
 * that.
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
