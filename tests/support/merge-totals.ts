import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { isLong } from './long.ts'
import { databaseUrl } from './own-database.ts'
import type { World } from './world.ts'

/** Merges the waiting deltas. Waits for the server's own merger if it runs. */
export async function mergeTotals(world: World): Promise<void> {
  for (;;) {
    await world.sql('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT merge_list_deltas(100); COMMIT')
    const { rows } = await world.sql('SELECT EXISTS (SELECT FROM list_deltas) AS waits')
    if (!rows[0].waits) return
    await sleep(20)
  }
}

/** Merges in its own way: to so few rows in a block, and blocks in a larger one, that some hundred rows make many. */
export interface Merger {
  merge(): Promise<void>
  close(): Promise<void>
}

export const smallBlock = isLong ? 64 : 32

/** Takes merging over from the server. */
export async function takeOverMerging(world: World): Promise<Merger> {
  const { rows } = await world.sql('SELECT current_database() AS name')
  const client = new pg.Client(databaseUrl(inject('postgres'), rows[0].name))
  await client.connect()
  // The merger's own: see merge_list_deltas.
  await client.query('SELECT pg_advisory_lock(7305013)')
  return {
    async merge() {
      const merge = `SELECT merge_list_deltas(1000, rows_max => ${smallBlock}, blocks_max => 8)`
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${merge}; COMMIT`)
    },
    close: () => client.end(),
  }
}
