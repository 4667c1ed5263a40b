import type { Database } from '../storage/database.ts'
import type { Ctx } from '../work/context.ts'
import type { Chore } from '../work/job.ts'
import { queueChore } from '../work/jobs.ts'

/**
 * The triggers of the tables write a delta for each change, and readers add the deltas to the merged counter, so totals
 * are exact. This chore merges the deltas, so that readers find few.
 */
export const mergeTotals: Chore = {
  name: 'kernel:merge-totals',
  attemptsMax: 3,
  every: '* * * * *',
  run: async ({ database }) => {
    const stores = await database.run({ text: storesWithDeltas, values: [] })
    let hasMerged = false
    try {
      for (const [storeId] of stores) hasMerged = (await mergeStore(database, storeId as string)) || hasMerged
    } finally {
      // Without a vacuum, readers would pass over the index entries of merged deltas until autovacuum runs.
      if (hasMerged) await database.run({ text: vacuum, values: [], once: true })
    }
  },
}

/** Whether it merged some lists. One of its transactions is short, and of one store. */
async function mergeStore(database: Database, storeId: string): Promise<boolean> {
  for (let round = 0; ; round++) {
    const merged = await database.transaction(async (transaction) => {
      await transaction.run({
        text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
        values: [],
        once: true,
      })
      const text = 'SELECT merge_lists($1, $2)'
      const [row] = await transaction.run({ text, values: [storeId, listsPerRound] })
      return Number(row?.[0])
    })
    if (merged < listsPerRound || round === roundsMax) return round > 0 || merged > 0
  }
}

const storesWithDeltas = 'SELECT store_id FROM list_deltas UNION SELECT store_id FROM list_moves'

// TRUNCATE false: giving pages back needs a lock that waits for readers.
const vacuum = 'VACUUM (TRUNCATE false, SKIP_LOCKED true) list_deltas, list_moves'
const listsPerRound = 50
const roundsMax = 100

/** A reader that finds more unmerged changes than this requests a merge. */
export const mergeThreshold = 500

const requestAgainAfterMs = 1000
let requestedAtMs = 0

/** Requests a merge, at most once a second per process. */
export function requestMerge(ctx: Ctx): void {
  const now = ctx.clock.now().getTime()
  if (now - requestedAtMs < requestAgainAfterMs) return
  requestedAtMs = now
  // The reader does not wait for the merge, and may ignore its failure: it also runs every minute.
  queueChore(ctx.instance, mergeTotals).catch(() => {})
}
