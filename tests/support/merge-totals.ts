import pg from 'pg'
import { inject } from 'vitest'
import { isLong } from './long.ts'
import { databaseUrl } from './own-database.ts'
import type { World } from './world.ts'

/** Merges the waiting deltas of a database, as the server does. */
export async function mergeTotals(url: string): Promise<void> {
  const client = await takeMergersLock(url)
  try {
    for (;;) {
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${mergeAll('100')}; COMMIT`)
      const { rows } = await client.query('SELECT EXISTS (SELECT FROM list_deltas) AS waits')
      if (!rows[0].waits) return
    }
  } finally {
    await client.end()
  }
}

const mergeAll = (how: string) => `SELECT merge_lists(id, ${how}) FROM stores`

export interface Merger {
  merge(): Promise<void>
  close(): Promise<void>
}

/** So few rows that some hundred make many blocks. */
export const smallBlock = isLong ? 64 : 32

/** Takes merging over from the server: to at most so many rows in a block, and blocks in a larger one. */
export async function takeOverMerging(world: World, rowsMax = smallBlock, blocksMax = 8): Promise<Merger> {
  const client = await takeMergersLock(databaseUrl(inject('postgres'), world.database))
  return {
    async merge() {
      const merge = mergeAll(`1000, rows_max => ${rowsMax}, blocks_max => ${blocksMax}`)
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${merge}; COMMIT`)
    },
    close: () => client.end(),
  }
}

/**
 * Waits until the server's merger is done, and keeps it out until the client ends. The lock comes before the
 * transaction: one that began while the server merged would change rows that have changed since its snapshot.
 */
async function takeMergersLock(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  // What mergers share: see merge_lists. So the client's own transactions have it too.
  await client.query('SELECT pg_advisory_lock(7305013)')
  return client
}
