import { isDeepStrictEqual } from 'node:util'
import type { Work } from './context.ts'
import { changedDraft, newDraft } from './drafts.ts'
import { Problem } from './errors.ts'
import type { Changes, Fields, New } from './fields.ts'
import { newId } from './ids.ts'
import type { Draft, Resource, Row } from './resource.ts'

/** One object of many: a new one, or other values for a row that is there, and held. */
export type Write<F extends Fields> =
  | { readonly id?: string; readonly given: New<F> }
  | { readonly before: Row<F>; readonly changes: Changes<F> }

/**
 * Writes many objects of one list in a few statements, each by the resource's own rules. In the place of each is why it
 * was refused, or undefined: the others go in. What changes nothing is not written. None of them may touch what another
 * gives up, or is to have alone: they are written in any order. Needs a transaction.
 */
export async function writeMany<F extends Fields>(
  work: Work,
  resource: Resource<F>,
  scope: readonly string[],
  writes: readonly Write<F>[],
): Promise<readonly (Problem | undefined)[]> {
  if (resource.most || resource.afterWrite) throw new Error(`${resource.noun[1]} are written one by one`)
  const refused = new Array<Problem | undefined>(writes.length)
  const drafts: Numbered<F>[] = []
  for (const [n, write] of writes.entries()) {
    try {
      const draft =
        'before' in write
          ? changedDraft(resource, write.before, write.changes)
          : newDraft(resource, scope, write.given, write.id ?? newId())
      await resource.beforeWrite?.(work, draft)
      if (!isUnchanged(draft)) drafts.push({ n, draft })
    } catch (error) {
      refused[n] = asRefusal(error)
    }
  }
  const { store } = work
  const changed = drafts.filter(({ draft }) => draft.before)
  await inParts(work, refused, changed, (some) =>
    store.updateAll(
      resource,
      some.map(({ draft }) => draft),
    ),
  )
  const made = drafts.filter(({ draft }) => !draft.before)
  await inParts(work, refused, made, async (some) => {
    await store.insertAll(
      resource,
      some.map(({ draft }) => draft),
    )
  })
  return refused
}

interface Numbered<F extends Fields> {
  readonly n: number
  readonly draft: Draft<F>
}

const isUnchanged = ({ before, values }: Draft): boolean =>
  before !== undefined && isDeepStrictEqual(present({ ...before.doc, ...before.hidden }), present(values))

const present = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** All in one statement; where the database refuses one of them, both halves by themselves, down to that one. */
async function inParts<F extends Fields>(
  work: Work,
  refused: (Problem | undefined)[],
  some: readonly Numbered<F>[],
  write: (some: readonly Numbered<F>[]) => Promise<void>,
): Promise<void> {
  const [first] = some
  if (!first) return
  try {
    await work.store.attempt(() => write(some))
  } catch (error) {
    const refusal = asRefusal(error)
    if (some.length === 1) {
      refused[first.n] = refusal
      return
    }
    const half = Math.ceil(some.length / 2)
    await inParts(work, refused, some.slice(0, half), write)
    await inParts(work, refused, some.slice(half), write)
  }
}

/** What is no refusal ends all of it. */
function asRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.status < 500) return error
  throw error
}
