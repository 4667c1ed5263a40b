import { setPriority } from 'node:os'
import type { ClientBase } from 'pg'

/** Gives a search about a tenth of the weight of other work. */
const searchNiceness = 10

/**
 * Lowers the priority of searches: the planner uses one processor for them, and their process is nice. If the system
 * refuses it, nothing is lost.
 */
export function giveWay(search: ClientBase): void {
  search.query('SET max_parallel_workers_per_gather = 0').catch(() => {})
  try {
    setPriority((search as unknown as { processID: number }).processID, searchNiceness)
  } catch {}
}
