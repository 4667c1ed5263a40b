import { setPriority } from 'node:os'
import type { ClientBase } from 'pg'

/** The scheduler's weight of a search beside anything else: about a tenth. */
const searchNiceness = 10

/**
 * Lets searches on a connection give way where there is not enough of the processor for all: they are planned for one
 * processor, and their process is nice. Where the system refuses it, nothing is lost.
 */
export function giveWay(search: ClientBase): void {
  search.query('SET max_parallel_workers_per_gather = 0').catch(() => {})
  try {
    setPriority((search as unknown as { processID: number }).processID, searchNiceness)
  } catch {}
}
