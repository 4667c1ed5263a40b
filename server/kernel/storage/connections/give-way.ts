import { setPriority } from 'node:os'
import type { ClientBase } from 'pg'

/** Gives a slow read about a tenth of the processor time of other work. */
const searchNiceness = 10

/**
 * Lowers the priority of slow reads: the planner uses one processor for them, and the system schedules their process
 * after others. If the system refuses this, they only run at the usual priority.
 */
export function giveWay(search: ClientBase): void {
  search.query('SET max_parallel_workers_per_gather = 0').catch(() => {})
  try {
    setPriority((search as unknown as { processID: number }).processID, searchNiceness)
  } catch {}
}
