import type pg from 'pg'
import type { Database } from '../storage/database.ts'

/** A short worker may claim its first job before it has its lock. A long one has its lock first. */
const graceMs = 10_000

/** Returns jobs that are locked for these workers, but never reached them. */
const returnLost = `UPDATE graphile_worker._private_jobs
  SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0)
  WHERE locked_by = ANY($1) AND locked_at < now() - $3 * interval '1 ms' AND id <> ALL($2::bigint[])`

const isDead = `locked_by IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(locked_by, 0))`

/** Returns the jobs of dead workers. The attempt counts, since the job may be what killed its worker. */
const returnOrphans = `WITH long AS (
    UPDATE long_jobs SET locked_by = NULL WHERE ${isDead}
  )
  UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL
  WHERE ${isDead} AND locked_at < now() - $1 * interval '1 ms'`

/**
 * Shows other processes that this one is alive: its session in the database holds a lock for each of its workers, and
 * the lock ends with the process. Without it the queue would keep a killed worker's jobs for hours, and the long jobs
 * of their stores would never continue.
 */
export class WorkerSession {
  readonly #database: Database
  readonly #workers: readonly string[]
  readonly #channel: string
  readonly #onNotify: () => void
  #open: Promise<pg.PoolClient> | undefined
  #ended = false

  /** Also listens: `onNotify` is called for each notification on the channel. */
  constructor(database: Database, workers: readonly string[], channel: string, onNotify: () => void) {
    this.#database = database
    this.#workers = workers
    this.#channel = channel
    this.#onNotify = onNotify
  }

  /** Starts the session again on a new connection after the old one broke. */
  #begin(): Promise<pg.PoolClient> {
    this.#open ??= this.#start()
    return this.#open
  }

  /** Returns the jobs of dead workers to the queue. The first call also takes the locks of these workers. */
  async returnOrphans(): Promise<void> {
    await (await this.#begin()).query(returnOrphans, [graceMs])
  }

  /** Also returns the jobs of these workers, except those `inHand`. */
  async returnLost(inHand: Iterable<string>): Promise<void> {
    await (await this.#begin()).query(returnLost, [this.#workers, [...inHand], graceMs])
  }

  async #start(): Promise<pg.PoolClient> {
    try {
      const session = await this.#database.pool.connect()
      session.once('end', () => this.#lost(session))
      session.on('notification', this.#onNotify)
      await session.query('SELECT pg_advisory_lock(hashtextextended(w, 0)) FROM unnest($1::text[]) w', [
        this.#workers,
      ])
      await session.query(`LISTEN ${this.#channel}`)
      return session
    } catch (error) {
      this.#open = undefined
      throw error
    }
  }

  /**
   * Starts again soon, so that others do not take this process for dead. While the database is away, the next call
   * retries.
   */
  #lost(session: pg.PoolClient): void {
    this.#open = undefined
    session.release(true)
    if (!this.#ended) this.#begin().catch(() => {})
  }

  async end(): Promise<void> {
    this.#ended = true
    const session = await this.#open?.catch(() => undefined)
    session?.removeAllListeners('end')
    this.#open = undefined
    session?.release(true)
  }
}
