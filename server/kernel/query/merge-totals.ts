import type { Ctx } from '../work/context.ts'
import type { Chore } from '../work/job.ts'
import { hasten } from '../work/jobs.ts'

/**
 * Totals of lists are kept exact by append-only deltas, written with each change by the tables' triggers; readers add
 * them to the merged counter. This chore folds them in, so that a reader finds few.
 */
export const mergeTotals: Chore = {
  name: 'kernel:merge-totals',
  attemptsMax: 3,
  every: '* * * * *',
  run: async ({ database }) => {
    for (let round = 0; round < roundsMax; round++) {
      const merged = await database.transaction(async (transaction) => {
        await transaction.run({
          text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
          values: [],
          once: true,
        })
        const [row] = await transaction.run({ text: 'SELECT merge_list_deltas($1)', values: [listsPerRound] })
        return Number(row?.[0])
      })
      // The index of merged deltas would still be read through, until autovacuum comes by.
      if (merged > 0) await database.run({ text: vacuum, values: [], once: true })
      if (merged < listsPerRound) return
    }
  },
}

// Without giving pages back: that would need a lock that waits for readers.
const vacuum = 'VACUUM (TRUNCATE false, SKIP_LOCKED true) list_deltas, list_moves'
const listsPerRound = 50
const roundsMax = 100

/** A reader that found more unmerged changes than this asks for the merge. */
export const mergeThreshold = 500

const askAgainAfterMs = 1000
let requestedAtMs = 0

/** Asks for the merge, at most once a second per process. */
export function askForMerge(ctx: Ctx): void {
  const now = ctx.clock.now().getTime()
  if (now - requestedAtMs < askAgainAfterMs) return
  requestedAtMs = now
  // The reader does not wait for it, and a failure costs nothing: it also runs every minute.
  hasten(ctx.instance, mergeTotals).catch(() => {})
}
