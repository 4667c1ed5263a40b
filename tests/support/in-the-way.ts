import { setTimeout } from 'node:timers/promises'
import type { World } from './world.ts'

type Statement = readonly [text: string, values?: unknown[]]

/**
 * The result of an act that must wait for the uncommitted statements of another transaction. When it waits, the last of
 * them run and are committed, and the act goes on.
 */
export async function inTheWay<T>(
  world: World,
  first: readonly Statement[],
  act: () => Promise<T>,
  last: readonly Statement[] = [],
  /** How many sessions wait while it runs. */
  sessions = 1,
): Promise<T> {
  const connection = await world.server.instance.database.pool.connect()
  try {
    await connection.query('BEGIN')
    for (const [text, values] of first) await connection.query(text, values)
    const acting = act()
    await untilWaiting(world, sessions)
    for (const [text, values] of last) await connection.query(text, values)
    await connection.query('COMMIT')
    return await acting
  } catch (error) {
    await connection.query('ROLLBACK')
    throw error
  } finally {
    connection.release()
  }
}

/** Waits until so many sessions of this world wait for a lock. */
export async function untilWaiting(world: World, sessions: number): Promise<void> {
  const text = `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  for (let attempt = 0; attempt < 1000; attempt++) {
    if ((await world.sql(text)).rows.length >= sessions) return
    await setTimeout(20)
  }
  throw new Error(`not even ${sessions} sessions wait for a lock`)
}
