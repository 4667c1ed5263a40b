import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { atMost } from '../at-most.ts'
import type { Database } from '../storage/database.ts'
import type { Instance } from './context.ts'

/** A short worker may claim its first job before it has its lock. A long one has its lock first. */
const graceMs = 10_000

/** While the database is away. */
const retryAfterMs = 250
const endingMaxMs = 1000

/** Returns jobs that are locked for these workers, but never reached them. */
const returnLost = `UPDATE graphile_worker._private_jobs
  SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0)
  WHERE locked_by = ANY($1) AND locked_at < now() - $3 * interval '1 ms' AND id <> ALL($2::bigint[])`

const isDead = 'locked_by IS NOT NULL AND NOT session_lives(locked_by)'

/** Returns the jobs of dead workers. The attempt counts, since the job may be what killed its worker. */
const returnOrphans = `WITH long AS (
    UPDATE long_jobs SET locked_by = NULL WHERE ${isDead}
  )
  UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL
  WHERE ${isDead} AND locked_at < now() - $1 * interval '1 ms'`

/**
 * Shows other processes that this one is alive: its session in the database holds locks of its name and of its
 * workers, and they end with the process. Without them the queue would keep a killed worker's jobs for hours, the long
 * jobs of their stores would never continue, and its leases would keep others away until they end.
 */
export class WorkerSession {
  readonly #database: Database
  readonly #process: string
  readonly #workers: readonly string[]
  readonly #channel: string
  readonly #onNotify: () => void
  #open: Promise<pg.PoolClient> | undefined
  #ended = false

  /** Also listens: `onNotify` is called for each notification on the channel. */
  constructor(
    { database, processName }: Pick<Instance, 'database' | 'processName'>,
    workers: readonly string[],
    channel: string,
    onNotify: () => void,
  ) {
    this.#database = database
    this.#process = processName
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
      const session = await this.#database.sessions.connect()
      session.once('end', () => this.#lost(session))
      session.on('notification', this.#onNotify)
      await session.query(
        'SELECT pg_advisory_lock_shared(hashtextextended(w, 0)) FROM unnest($1::text[]) w',
        [[this.#process, ...this.#workers]],
      )
      await session.query(`LISTEN ${this.#channel}`)
      return session
    } catch (error) {
      this.#open = undefined
      throw error
    }
  }

  /** Starts again soon, so that others do not take this process for dead. */
  #lost(session: pg.PoolClient): void {
    this.#open = undefined
    session.release(true)
    void this.#beginAgain()
  }

  async #beginAgain(): Promise<void> {
    while (!this.#ended) {
      try {
        await this.#begin()
        return
      } catch {
        await sleep(retryAfterMs)
      }
    }
  }

  /** When it returns, PostgreSQL has ended the session: nothing waits for what the process had. */
  async end(): Promise<void> {
    this.#ended = true
    const session = await this.#open?.catch(() => undefined)
    this.#open = undefined
    if (!session) return
    session.removeAllListeners('end')
    const ended = once(session, 'end').catch(() => {})
    session.release(true)
    await atMost(endingMaxMs, ended)
  }
}
