import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Database, isOutage } from '../database.ts'

const retryAfterMs = 500

/** A pool for callers that cannot handle an outage. */
interface PatientPool {
  readonly pool: pg.Pool
  /** Whether a statement is running, or waiting for the database. */
  busy(): boolean
  /** Settles when all running statements have ended. */
  idle(): Promise<unknown>
}

/**
 * A pool whose statements wait while the database is away, and are then sent again. Each must be a transaction of its
 * own and safe to run twice, since the response to the first run may have been lost. Once `stopping` aborts, nothing
 * waits: a failed statement returns no rows.
 * Connections that are taken with a callback are to listen. They are `sessions`, and break with the database.
 */
export function patientPool(
  { pool, sessions }: Pick<Database, 'pool' | 'sessions'>,
  stopping: AbortSignal,
): PatientPool {
  const underWay = new Set<Promise<unknown>>()
  const query = async (...statement: Parameters<pg.Pool['query']>) => {
    for (;;) {
      try {
        return await pool.query(...statement)
      } catch (error) {
        if (stopping.aborted) return { rows: [] }
        if (!isOutage(error)) throw error
        await sleep(retryAfterMs, undefined, { signal: stopping }).catch(() => {})
      }
    }
  }
  // Each statement takes any free connection when it is sent.
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]) => {
    if (callback) return sessions.connect(callback)
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.add(promise)
    const release = () => {
      underWay.delete(promise)
      resolve()
    }
    return Promise.resolve({ query, release })
  }
  return {
    pool: Object.assign(Object.create(pool) as pg.Pool, { query, connect }),
    busy: () => underWay.size > 0,
    idle: () => Promise.all(underWay),
  }
}
