import type pg from 'pg'
import type { Database } from '../storage/database.ts'

/** What was just taken may be on its way to its worker, who may not have said yet that it lives. */
const graceMs = 10_000

/** What is locked for these workers, but never got to them. */
const returnLost = `UPDATE graphile_worker._private_jobs
  SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0)
  WHERE locked_by = ANY($1) AND locked_at < now() - $3 * interval '1 ms' AND id <> ALL($2::bigint[])`

const isDead = `locked_at < now() - $1 * interval '1 ms' AND NOT EXISTS (
  SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(locked_by, 0))`

/** What workers have that are no more. Their attempt counts: it may be the job that ends them. */
const returnOrphans = `WITH long AS (
    UPDATE long_jobs SET locked_by = NULL WHERE ${isDead}
  )
  UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL WHERE ${isDead}`

/**
 * By its session in the database others know that a process lives: it holds a lock for each of its workers, which ends
 * with the process, however that ends. Without it the queue would keep a killed worker's jobs for hours, and the long
 * jobs of their stores would never go on.
 */
export class WorkerSession {
  readonly #database: Database
  readonly #workers: readonly string[]
  readonly #channel: string
  readonly #onNotify: () => void
  #open: Promise<pg.PoolClient> | undefined
  #ended = false

  /** It listens, too: `onNotify` is called for each notification of the channel. */
  constructor(database: Database, workers: readonly string[], channel: string, onNotify: () => void) {
    this.#database = database
    this.#workers = workers
    this.#channel = channel
    this.#onNotify = onNotify
  }

  /** The connection that said so may be gone. */
  #begin(): Promise<pg.PoolClient> {
    this.#open ??= this.#start()
    return this.#open
  }

  /** Gives back to the queue what workers have that are no more. The first call says that these live. */
  async returnOrphans(): Promise<void> {
    await (await this.#begin()).query(returnOrphans, [graceMs])
  }

  /** And what these workers have, unless it is `inHand`. */
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

  /** Others must not believe for long that this process is dead. While the database is away, the next call begins. */
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
