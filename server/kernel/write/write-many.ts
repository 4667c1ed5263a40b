import type { Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Changes, Fields, New } from '../shape/fields.ts'
import type { Draft, Row, Whole } from '../shape/model.ts'
import type { Work } from '../work/context.ts'
import { changedDraft, isUnchanged, newDraft } from './drafts.ts'

/** One object of many: a new one, or changes of a locked row. */
export type ObjectWrite<F extends Fields> =
  | { readonly id?: string; readonly values: New<F> }
  | { readonly before: Row<F>; readonly changes: Changes<F> }

/** The result of a write. */
export type WriteOutcome = 'written' | 'unchanged' | Problem

/**
 * Writes many objects of one list in a few statements, each by the resource's own rules. Returns one outcome per
 * object: refused objects have a Problem, and the others are stored. Unchanged objects are not written. The order of
 * the writes is undefined, so no object may depend on a unique value that another gives up. Needs a transaction.
 */
export async function writeMany<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  writes: readonly ObjectWrite<F>[],
): Promise<readonly WriteOutcome[]> {
  if (resource.most || resource.afterWrite || resource.inside)
    throw new Error(`${resource.noun[1]} are written one by one`)
  const outcomes = new Array<WriteOutcome>(writes.length).fill('unchanged')
  const drafts: NumberedDraft<F>[] = []
  for (const [n, write] of writes.entries()) {
    try {
      const draft =
        'before' in write
          ? changedDraft(resource, write.before as Whole<F, unknown>, write.changes)
          : newDraft(resource, scope, write.values, write.id ?? newId())
      await resource.beforeWrite?.(work, draft)
      if (isUnchanged(resource.fields, draft)) continue
      drafts.push({ n, draft })
      outcomes[n] = 'written'
    } catch (error) {
      outcomes[n] = asRefusal(error)
    }
  }
  const { store } = work
  const changed = drafts.filter(({ draft }) => draft.before)
  await inParts(work, outcomes, changed, (some) =>
    store.updateAll(
      resource,
      some.map(({ draft }) => draft),
    ),
  )
  const added = drafts.filter(({ draft }) => !draft.before)
  await inParts(work, outcomes, added, async (some) => {
    await store.insertAll(
      resource,
      some.map(({ draft }) => draft),
    )
  })
  return outcomes
}

interface NumberedDraft<F extends Fields> {
  readonly n: number
  readonly draft: Draft<F>
}

/**
 * Writes all in one statement. If the database refuses it, writes each half by itself, down to the single refused
 * object.
 */
async function inParts<F extends Fields>(
  work: Work,
  outcomes: WriteOutcome[],
  some: readonly NumberedDraft<F>[],
  write: (some: readonly NumberedDraft<F>[]) => Promise<void>,
): Promise<void> {
  const [first] = some
  if (!first) return
  try {
    await work.store.attempt(() => write(some))
  } catch (error) {
    const refusal = asRefusal(error)
    if (some.length === 1) {
      outcomes[first.n] = refusal
      return
    }
    const half = Math.ceil(some.length / 2)
    await inParts(work, outcomes, some.slice(0, half), write)
    await inParts(work, outcomes, some.slice(half), write)
  }
}

/** An error that is not a refusal ends the whole run. */
function asRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.status < 500) return error
  throw error
}
