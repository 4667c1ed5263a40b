import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.ts'

/** Merges what waits to be counted. The server's own merger may be at it: then it is waited for. */
export async function mergeTotals(world: World): Promise<void> {
  for (;;) {
    await world.sql('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT merge_list_deltas(100); COMMIT')
    const { rows } = await world.sql('SELECT EXISTS (SELECT FROM list_deltas) AS waits')
    if (!rows[0].waits) return
    await sleep(20)
  }
}
