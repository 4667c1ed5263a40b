import pg from 'pg'
import { StartupError, Unavailable } from '../../platform/faults.ts'
import { atMost } from '../at-most.ts'
import { LostRace, Problem } from '../errors.ts'
import { cancelWith } from './cancel.ts'
import { isOutOfSpace } from './disk-space.ts'
import { Lanes } from './lanes.ts'
import { PreparedTexts } from './prepared-texts.ts'
import { Share } from './share.ts'
import { Statement } from './statement.ts'
import { LateTransaction, type Transaction } from './transaction.ts'

/** A statement with its values apart: a value is never part of the text. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  /** The text differs with each call (filters, literals): plan it for its values, keep no prepared statement. */
  readonly once?: boolean
  /** It touches as many rows as there are, and may take long. */
  readonly long?: boolean
  /** A page of a whole list: short too, but among point reads it would be long. */
  readonly page?: boolean
}

/** Columns in the order of the statement, as PostgreSQL's text. */
export type Tuple = readonly (string | null)[]

/** Something that runs statements: the pool, the pipelined connection or one transaction. */
export interface Connection {
  run(sql: Sql): Promise<readonly Tuple[]>
}

/** What a store is in: the database, or what a request may have of it. */
export interface Source extends Connection {
  quick(sql: Sql): Promise<readonly Tuple[]>
  transaction<T>(work: (transaction: Transaction) => Promise<T>, kind?: 'snapshot'): Promise<T>
}

const prepared = new WeakMap<pg.ClientBase, PreparedTexts>()

function nameOn(client: pg.ClientBase, text: string): string {
  const texts = prepared.get(client) ?? new PreparedTexts(client)
  prepared.set(client, texts)
  return texts.nameOf(text)
}

const outage = (cause: unknown, detail = 'The database is not reachable.') =>
  new Problem('unavailable', detail, { cause })

function refuseOutage(error: unknown): never {
  if (!isOutage(error)) throw error
  if (isOutOfSpace(error)) throw outage(error, 'The database has no disk space left.')
  throw (error as Error).message === 'Query read timeout'
    ? outage(error, 'The database did not respond in time.')
    : outage(error)
}

// A connection that failed so is asked for nothing more. One without space for a write is as good as before, and a new
// one might not be had.
const isUnavailable = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'unavailable' && !isOutOfSpace(error.cause)

/**
 * Whether a statement failed because the database is away. SQLSTATE classes 08 (connection), 53 (resources) and 57P
 * (shutdown); the system's errors (ECONNREFUSED, ENOTFOUND, …) and the driver's own have no SQLSTATE at all.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return error instanceof pg.DatabaseError
    ? /^(08|53|57P)/.test(code)
    : /^E(?!RR_)/.test(code) || /connect|terminat|socket|timeout|queryable/i.test(error.message)
}

/** The SQLSTATE of a failed statement, or undefined. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** The constraint that a failed statement broke, or undefined. */
export const brokenConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.constraint : undefined

/** The value that a broken key to another row has, in the column that names the row: its last one. */
export function missingKey(error: unknown): string | undefined {
  const detail = error instanceof pg.DatabaseError ? error.detail : undefined
  // PostgreSQL translates the words around `(columns)=(values)`.
  const start = detail?.indexOf(')=(') ?? -1
  if (!detail || start < 0) return undefined
  return detail
    .slice(start + 3, detail.indexOf(')', start + 3))
    .split(', ')
    .at(-1)
}

/** A transaction that lost a race (deadlock or serialization failure) and may simply be run again. */
const isRetryable = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** Whether what failed may succeed later, unchanged: something is away or full, or others came first. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'unavailable' || error instanceof LostRace
  if (error instanceof Unavailable) return true
  return error instanceof pg.DatabaseError && (isOutage(error) || isRetryable(error))
}

/** Whether a statement was refused since the database is away, or its disk full. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'unavailable' && isOutage(error.cause)

/** A statement that was told to end. */
const isCancelled = (error: unknown) => sqlState(error) === '57014'

const transactionAttemptsMax = 4

/** How long one statement of a request may take: by then whoever asked has given up. */
export const statementMaxMs = 30_000
const longStatementMaxMs = 3_600_000
const closingMaxMs = 5_000

const pageLanes = 2

export class Database implements Source {
  readonly pool: pg.Pool
  readonly #searches: Share
  readonly #searchPool: pg.Pool
  readonly #points: Lanes
  readonly #pages: Lanes
  readonly #limitMs: number | undefined
  /** Told of each statement that found no space to write. */
  onNoSpace: () => void = () => {}

  /**
   * A statement that takes longer than `limitMs` fails as unavailable, and its connection is given up: the database may
   * have stopped answering, which no one would notice otherwise. Without a limit it takes as long as it takes.
   *
   * `giveWay` gets each new connection for reads that may be slow, to let it give way to the others.
   */
  constructor(url: string, connections: number, limitMs?: number, giveWay?: (search: pg.ClientBase) => void) {
    this.#limitMs = limitMs
    const config: pg.ClientConfig = {
      connectionString: url,
      application_name: 'sutler',
      connectionTimeoutMillis: 10_000,
      // So that a connection is not waited on for ever whose other end has gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    }
    const open = () => new pg.Client({ ...config, pipeline: true } as pg.ClientConfig)
    this.#points = new Lanes(1, open)
    this.#pages = new Lanes(pageLanes, open)
    const searches = Math.max(1, Math.floor(connections / 2))
    this.#searches = new Share(searches)
    const newPool = (max: number) => {
      const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: 60_000 })
      // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {}))
      return pool
    }
    this.pool = newPool(connections)
    this.#searchPool = newPool(searches)
    this.#searchPool.on('connect', (client) => giveWay?.(client))
  }

  /** One clear line when the database is not there, or is not ours to use. */
  async mustBeReachable(): Promise<void> {
    try {
      await this.#onPool({ text: 'SELECT 1', values: [], once: true })
    } catch (error) {
      const { message, code } = (error instanceof Problem ? error.cause : error) as NodeJS.ErrnoException
      throw new StartupError(`cannot use the database (DATABASE_URL): ${message || code}`, { cause: error })
    }
  }

  /** Of a statement whose asker goes the answer is not waited for: it is ended, and the asker's reason thrown. */
  async #query(client: pg.ClientBase, sql: Sql, asker?: AbortSignal): Promise<readonly Tuple[]> {
    if (!asker) return this.#send(client, sql)
    asker.throwIfAborted()
    const ended = cancelWith(asker, client)
    try {
      return await this.#send(client, sql)
    } catch (error) {
      if (asker.aborted && isCancelled(error)) throw asker.reason
      throw error
    } finally {
      await ended()
    }
  }

  #send(client: pg.ClientBase, { text, values, once, long }: Sql): Promise<readonly Tuple[]> {
    const name = once ? '' : nameOn(client, text)
    const limitMs = this.#limitMs && long ? longStatementMaxMs : this.#limitMs
    const { promise, resolve, reject } = Promise.withResolvers<readonly Tuple[]>()
    client.query(
      new Statement(text, values, name, limitMs, (error, tuples) =>
        error ? reject(error) : resolve(tuples),
      ),
    )
    return promise.catch((error: unknown) => this.#refuse(error))
  }

  async #connection(pool = this.pool): Promise<pg.PoolClient> {
    return pool.connect().catch((error: unknown) => {
      throw isOutOfSpace(error) ? this.#refuse(error) : outage(error)
    })
  }

  #refuse(error: unknown): never {
    if (isOutOfSpace(error)) this.onNoSpace()
    return refuseOutage(error)
  }

  async #onPool(sql: Sql, asker?: AbortSignal, pool = this.pool): Promise<readonly Tuple[]> {
    const client = await this.#connection(pool)
    let broken: Error | undefined
    try {
      return await this.#query(client, sql, asker)
    } catch (error) {
      if (isUnavailable(error)) broken = error
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** One statement, which is a transaction of its own: one that lost a race is run again. */
  run(sql: Sql): Promise<readonly Tuple[]> {
    return this.#alone(sql)
  }

  async #alone(sql: Sql, asker?: AbortSignal, pool = this.pool): Promise<readonly Tuple[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#onPool(sql, asker, pool)
      } catch (error) {
        if (!isRetryable(error) || attempt === transactionAttemptsMax) throw error
      }
    }
  }

  /**
   * For statements that are sure to be short: they share pipelined connections, queues in which a slow statement would
   * hold up all behind it.
   */
  quick(sql: Sql): Promise<readonly Tuple[]> {
    const lanes = sql.page ? this.#pages : this.#points
    return lanes.send((client) =>
      this.#send(client, sql).catch((error: unknown) => {
        if (isUnavailable(error)) lanes.giveUp(client)
        throw error
      }),
    )
  }

  /**
   * For a request that only reads. Its statements end with `asker`; and those that may be slow have connections of
   * their own, half as many as there are for the rest.
   */
  reading(asker: () => AbortSignal): Source {
    return {
      quick: (sql) => this.quick(sql),
      run: (sql) => this.#searches.use(asker(), () => this.#alone(sql, asker(), this.#searchPool)),
      transaction: (work, kind) =>
        this.#searches.use(asker(), () => this.#transaction(work, kind, asker(), this.#searchPool)),
    }
  }

  /**
   * Runs `work` in one transaction, again when it lost a race. Nothing in `work` may leave the machine. In a `snapshot`
   * all reads are of one moment; whoever changes what another changed since then has lost a race.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, kind?: 'snapshot'): Promise<T> {
    return this.#transaction(work, kind)
  }

  async #transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    kind?: 'snapshot',
    asker?: AbortSignal,
    pool = this.pool,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const means = {
        connect: () => this.#connection(pool),
        send: (client: pg.PoolClient, sql: Sql) => this.#query(client, sql, asker),
        read: (sql: Sql) => this.quick(sql),
        alone: (sql: Sql) => this.#onPool(sql, asker, pool),
      }
      const transaction = new LateTransaction(means, kind === 'snapshot')
      try {
        const result = await work(transaction)
        await transaction.commit()
        return result
      } catch (error) {
        await transaction.rollBack(isUnavailable(error) ? error : undefined)
        if (!isRetryable(error)) throw error
        if (attempt === transactionAttemptsMax) throw new LostRace(error)
      }
    }
  }

  /** Lets the statements under way finish, but waits for no database that has stopped answering. */
  async close(): Promise<void> {
    await atMost(
      closingMaxMs,
      Promise.all([this.#points.end(), this.#pages.end(), this.pool.end(), this.#searchPool.end()]),
    )
  }
}
