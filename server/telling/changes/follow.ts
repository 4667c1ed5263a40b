import { Problem } from '../../kernel/errors.ts'
import type { FeedChange } from '../../kernel/feed/changes.ts'
import { type ChangeFilter, type FoundChanges, lookForChanges } from '../../kernel/feed/look-for-changes.ts'
import type { Work } from '../../kernel/work/context.ts'

/** How many positions one statement looks at. */
const lookMax = 10_000

/** Refuses a position whose next change may be missing, or that the feed has not reached. */
export function refuseOutside(
  { last, trimmed, isForeign }: Pick<FoundChanges, 'last' | 'trimmed' | 'isForeign'>,
  after: number,
  source: string,
): void {
  const oldest = trimmed + 1
  if (after < trimmed) {
    throw new Problem(
      'gone',
      `Changes after position ${after} were deleted, because they were too old. The oldest that is left is ${oldest}: read the lists again, and go on from there.`,
      { source, meta: { oldest } },
    )
  }
  if (isForeign) {
    throw new Problem(
      'gone',
      `This server has no position ${after}: another one gave it, before the store was moved here. Read the lists again, and go on from position ${last}.`,
      { source, meta: { oldest } },
    )
  }
  if (after > last) {
    throw new Problem(
      'bad_page',
      `${source} must be a position that the store has reached: at most ${last}.`,
      { source },
    )
  }
}

/** The next changes after a position. */
export const nextChanges = (
  { store }: Work,
  from: number,
  filter: ChangeFilter,
  most: number,
): Promise<FoundChanges> => lookForChanges(store, { from, order: 'forwards', most, look: lookMax }, filter)

/** How many positions the first statement looks at for some objects, and how many times more the next one. */
const lookFirst = { positions: 1_000, growth: 16 }

/**
 * The changes before a position, the newest first. Those of some objects are found by an index, however old. An object
 * may have very many, and a statement sorts all that it finds, so it looks at a small part of the feed first.
 */
export async function earlierChanges(
  { store }: Work,
  from: number,
  filter: ChangeFilter,
  most: number,
): Promise<FoundChanges> {
  if (!filter.ids) return lookForChanges(store, { from, order: 'backwards', most, look: lookMax }, filter)
  const changes: FeedChange[] = []
  for (let [at, look] = [from, lookFirst.positions]; ; look *= lookFirst.growth) {
    const rest = most - changes.length
    const found = await lookForChanges(store, { from: at, order: 'backwards', most: rest, look }, filter)
    changes.push(...found.changes)
    if (changes.length === most || found.reached <= found.end) return { ...found, changes }
    at = found.reached
  }
}
