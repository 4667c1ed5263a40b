import pg from 'pg'
import { StartupError, Unavailable } from '../../platform/faults.ts'
import { atMost } from '../at-most.ts'
import { LostRace, Problem } from '../errors.ts'
import type { Reading } from '../metrics/metrics.ts'
import { currentTimings, outOfPlace } from '../traces/scopes.ts'
import { inSpan } from '../traces/spans.ts'
import { Lanes } from './connections/lanes.ts'
import { LockQueues, type LockVisit } from './connections/lock-queues.ts'
import { MessageSender } from './connections/messages.ts'
import { countTimeout, nameClient, timeWait } from './connections/observe.ts'
import { isUnavailable, outage } from './connections/outages.ts'
import { mustKeepStatements } from './connections/pooler.ts'
import { Pools } from './connections/pools.ts'
import { LimitedUse } from './connections/slow-reads.ts'
import { planOnce } from './connections/statement.ts'
import { isOutOfSpace } from './disk-space.ts'
import { type RowSink, rowSocket } from './row-tap.ts'
import { type DatabaseTransaction, LateTransaction, type TransactionKind } from './transaction.ts'

/** A statement with separate values: a value is never part of the text. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  /** The text differs for each call (filters, literals): plan it for its values, without a prepared statement. */
  readonly once?: boolean
  /** It may touch any number of rows, and take long. */
  readonly long?: boolean
  /** Takes the rows as bytes, in place of the result. */
  readonly sink?: RowSink
  /** A page of a whole list: short, but too long to share a connection with point reads. */
  readonly page?: boolean
  /** What is sent before it, on the same connection. */
  readonly guard?: Guard | undefined
  /** The client's words for an error of the statement; undefined if it has none for it. */
  readonly refusal?: ((error: unknown) => Error | undefined) | undefined
}

/** A statement, and what must be true of its row: `check` throws if it is not. */
export interface Guard {
  readonly sql: Sql
  check(row: Tuple): void
}

/** Columns in the order of the statement, as PostgreSQL's text. */
export type Tuple = readonly (string | null)[]

/** Runs statements: the pool, the pipelined connection or a transaction. */
export interface Connection {
  run(sql: Sql): Promise<readonly Tuple[]>
}

/** The connections that a store uses: those of the database, or the share of a request. */
export interface StatementSource extends Connection {
  quick(sql: Sql): Promise<readonly Tuple[]>
  transaction<T>(work: (transaction: DatabaseTransaction) => Promise<T>, kind?: TransactionKind): Promise<T>
  /** The same without replicas, if it has any. */
  readonly primary?: StatementSource
}

/** A write on a standby, or on a database that was made read-only. */
export const readOnlyState = '25006'

/**
 * Whether a statement failed because the database is away, or takes no writes. SQLSTATE classes 08 (connection), 53
 * (resources) and 57P (shutdown); errors of the system (ECONNREFUSED, ENOTFOUND, …) and of the driver have no SQLSTATE.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return error instanceof pg.DatabaseError
    ? /^(08|53|57P)/.test(code) || code === readOnlyState
    : /^E(?!RR_)/.test(code) || /connect|terminat|socket|timeout|queryable/i.test(error.message)
}

/** The SQLSTATE of a failed statement, or undefined. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** A transaction that lost a race (deadlock or serialization failure) may run again. */
export const hasLostRace = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** Whether the same work may succeed later: something is away or full, or another write came first. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'unavailable' || error instanceof LostRace
  if (error instanceof Unavailable) return true
  return error instanceof pg.DatabaseError && (isOutage(error) || hasLostRace(error))
}

/** Whether a statement failed because the database is away, or its disk is full. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'unavailable' && isOutage(error.cause)

const transactionAttemptsMax = 4

/** The time limit of a statement in a request: clients do not wait longer. */
export const statementMaxMs = 30_000
const closingMaxMs = 5_000

const pointLanes = 1
const pageLanes = 2

/** How many exports a process has at once, at most; each has a connection. */
export const exportsMax = 4

/** How many connections a process has for requests, in all of its pools and lanes, if it has so many for writes. */
export const connectionsOf = (connections: number): number =>
  connections + slowReadsOf(connections) + exportsMax + pointLanes + pageLanes

const slowReadsOf = (connections: number) => Math.max(1, Math.floor(connections / 2))

interface DatabaseOptions {
  /** What its pools are for, in metrics. */
  readonly name?: string
  /**
   * A statement that takes longer fails as unavailable, and its connection is given up: the database may have stopped
   * responding. Without a limit a statement may take any time.
   */
  readonly limitMs?: number | undefined
  /** Lowers the priority of each new connection for slow reads. */
  readonly giveWay?: ((slowRead: pg.ClientBase) => void) | undefined
  /** Whether point reads and transactions plan each statement once, for all values: see `planOnce`. */
  readonly plansOnce?: boolean
  /** The same database without the pooler that is at the other URL: see `Database.sessions`. */
  readonly directUrl?: string | undefined
}

/** In one process: the jobs that listen and their lock, and those who migrate. */
const sessionsMax = 6

export class Database implements StatementSource {
  readonly pool: pg.Pool
  /**
   * Connections whose sessions are the same from one transaction to the next: for LISTEN, SET, and locks of a session.
   * A pooler (pgbouncer in transaction mode) gives each transaction any session, so these go around it.
   */
  readonly sessions: pg.Pool
  readonly #slowReads: LimitedUse
  readonly #slowReadPool: pg.Pool
  readonly #exportPool: pg.Pool
  readonly #points: Lanes
  readonly #pages: Lanes
  readonly #lockQueues: LockQueues
  readonly #messages: MessageSender
  readonly #pools: Pools
  readonly #lanes: Readonly<Record<string, Lanes>>

  constructor(
    url: string,
    connections: number,
    { name = 'requests', limitMs, giveWay, plansOnce, directUrl }: DatabaseOptions = {},
  ) {
    this.#messages = new MessageSender(limitMs)
    this.#lockQueues = new LockQueues(`${name}-locks`, connections)
    const config: pg.ClientConfig = {
      connectionString: url,
      // A pooler keeps connections open after the process has ended, so their name does not say that one runs.
      application_name: directUrl === undefined ? 'sutler' : 'sutler-pooled',
      connectionTimeoutMillis: 10_000,
      // So that no one waits forever on a connection whose other end is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: rowSocket,
    }
    const open = (lane: string) => () => {
      const client = new pg.Client({ ...config, pipeline: true } as pg.ClientConfig)
      nameClient(client, lane)
      return client
    }
    const planEach = (client: pg.ClientBase) => this.#messages.planEach(client)
    const prepare = !plansOnce ? () => {} : directUrl === undefined ? planOnce : planEach
    this.#points = new Lanes(pointLanes, open(`${name}-points`), prepare)
    this.#pages = new Lanes(pageLanes, open(`${name}-pages`))
    this.#lanes = { [`${name}-points`]: this.#points, [`${name}-pages`]: this.#pages }
    const slowReads = slowReadsOf(connections)
    this.#slowReads = new LimitedUse(slowReads, (turn) => timeWait(`${name}-slow-reads`, turn))
    this.#pools = new Pools(config)
    this.pool = this.#pools.open(name, connections)
    const direct = { connectionString: directUrl ?? url, application_name: 'sutler' }
    this.sessions =
      directUrl === undefined ? this.pool : this.#pools.open(`${name}-sessions`, sessionsMax, direct)
    this.#slowReadPool = this.#pools.open(`${name}-slow-reads`, slowReads)
    this.#exportPool = this.#pools.open(`${name}-exports`, exportsMax)
    this.pool.on('connect', prepare)
    for (const slow of [this.#slowReadPool, this.#exportPool])
      slow.on('connect', (client) => giveWay?.(client))
  }

  /** Called for each statement that fails because the disk is full. */
  set onNoSpace(listener: () => void) {
    this.#messages.onNoSpace = listener
  }

  /** Throws an error of one line if the database is missing, or cannot be used. */
  async mustBeReachable(): Promise<void> {
    await this.#mustAnswer(this.pool, 'DATABASE_URL')
    if (this.sessions === this.pool) return
    await this.#mustAnswer(this.sessions, 'SUTLER_DIRECT_DATABASE_URL')
    await mustKeepStatements(this.pool)
  }

  async #mustAnswer(pool: pg.Pool, setting: string): Promise<void> {
    try {
      await this.#onPool({ text: 'SELECT 1', values: [], once: true }, undefined, pool)
    } catch (error) {
      const { message, code } = (error instanceof Problem ? error.cause : error) as NodeJS.ErrnoException
      throw new StartupError(`cannot use the database (${setting}): ${message || code}`, { cause: error })
    }
  }

  async #connection(pool = this.pool): Promise<pg.PoolClient> {
    const name = this.#pools.nameOf(pool)
    return timeWait(name, pool.connect()).catch((error: unknown) => {
      countTimeout(error, name)
      throw isOutOfSpace(error) ? this.#messages.refusalOf(error) : outage(error)
    })
  }

  /** The guard comes before the snapshot of a transaction. */
  async #guardedConnection(pool: pg.Pool, { sql, check }: Guard): Promise<pg.PoolClient> {
    const client = await this.#connection(pool)
    try {
      const [rows] = await this.#messages.send(client, [sql], {})
      check(rows?.[0] ?? [])
      return client
    } catch (error) {
      client.release(error as Error)
      throw error
    }
  }

  async #onPool(sql: Sql, signal?: AbortSignal, pool = this.pool): Promise<readonly Tuple[]> {
    const client = await this.#connection(pool)
    let broken: Error | undefined
    try {
      const [rows = []] = await this.#messages.send(client, [sql], { signal, isFirst: true })
      return rows
    } catch (error) {
      if (isUnavailable(error)) broken = error
      throw error
    } finally {
      client.release(broken)
    }
  }

  /** Runs a statement as a transaction of its own, and again if it lost a race. */
  run(sql: Sql): Promise<readonly Tuple[]> {
    return this.#alone(sql)
  }

  async #alone(sql: Sql, signal?: AbortSignal, pool = this.pool): Promise<readonly Tuple[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#onPool(sql, signal, pool)
      } catch (error) {
        if (!hasLostRace(error) || attempt === transactionAttemptsMax) throw error
      }
    }
  }

  /**
   * For statements that are certainly short: they share pipelined connections, in which a slow statement delays all
   * behind it.
   */
  quick(sql: Sql): Promise<readonly Tuple[]> {
    const lanes = sql.page ? this.#pages : this.#points
    return lanes.send(
      async (client) => (await this.#messages.sendFirst(client, [sql]))[0] ?? [],
      isUnavailable,
    )
  }

  /**
   * The connections of a request that only reads. Its statements end when the signal aborts. Slow reads have
   * connections of their own, half as many as the others, and so do exports. The guard goes before each statement that
   * is not in a transaction, and before an export.
   */
  reading(signal: () => AbortSignal, guard?: Guard): StatementSource {
    const guarded = (sql: Sql) => (guard ? { ...sql, guard } : sql)
    return {
      quick: (sql) => this.quick(guarded(sql)),
      run: (sql) => this.#readSlowly(signal, () => this.#alone(guarded(sql), signal(), this.#slowReadPool)),
      transaction: (work, kind) =>
        kind === 'export'
          ? this.#transaction(work, kind, signal(), this.#exportPool, guard)
          : this.#readSlowly(signal, () => this.#transaction(work, kind, signal(), this.#slowReadPool)),
    }
  }

  /** Slow reads wait for each other, and not short reads for them. */
  #readSlowly<T>(signal: () => AbortSignal, read: () => Promise<T>): Promise<T> {
    const use = () => this.#slowReads.use(signal(), read)
    return currentTimings()?.isSlowRead ? use() : outOfPlace(use)
  }

  /**
   * Runs `work` in one transaction, and again if it lost a race. It must not call other servers. In a `snapshot` all
   * reads see one moment, and a change of a row that another transaction changed since is a lost race.
   */
  transaction<T>(work: (transaction: DatabaseTransaction) => Promise<T>, kind?: TransactionKind): Promise<T> {
    return this.#transaction(work, kind)
  }

  #transaction<T>(
    work: (transaction: DatabaseTransaction) => Promise<T>,
    kind?: TransactionKind,
    signal?: AbortSignal,
    pool = this.pool,
    guard?: Guard,
  ): Promise<T> {
    return inSpan('transaction', {}, () =>
      this.#lockQueues.visit((visit) => this.#attempt(work, visit, kind, signal, pool, guard)),
    )
  }

  async #attempt<T>(
    work: (transaction: DatabaseTransaction) => Promise<T>,
    visit: LockVisit,
    kind: TransactionKind | undefined,
    signal: AbortSignal | undefined,
    pool: pg.Pool,
    guard?: Guard,
  ): Promise<T> {
    const means = {
      connect: () => (guard ? this.#guardedConnection(pool, guard) : this.#connection(pool)),
      send: (client: pg.PoolClient, statements: readonly Sql[], begin?: string) =>
        this.#messages.send(client, statements, { signal, begin, isFirst: begin !== undefined }),
      read: (sql: Sql) => this.quick(sql),
      alone: (sql: Sql) => this.#onPool(sql, signal, pool),
      enterLocks: (locks: readonly string[]) => visit.enter(locks),
      crowdedLocks: () => visit.crowded(),
    }
    for (let losses = 0; ; ) {
      const transaction = new LateTransaction(means, kind)
      try {
        const result = await work(transaction)
        await transaction.commit()
        return result
      } catch (error) {
        await transaction.rollBack(isUnavailable(error) ? error : undefined)
        if (visit.isTurnedAway) await outOfPlace(() => timeWait(this.#lockQueues.name, visit.enterInTurn()))
        // A standby may end an export for its own sake, when a part of it is sent already.
        else if (!hasLostRace(error) || kind === 'export') throw error
        else if (++losses === transactionAttemptsMax) throw new LostRace(error)
      }
    }
  }

  /** For metrics: its connections, and who waits for one, or for a lock without one. */
  get connections(): readonly Reading[] {
    const lanes = Object.entries(this.#lanes).map(([name, some]) => some.readAs(name))
    return [...this.#pools.read(), ...lanes.flat(), ...this.#lockQueues.read()]
  }

  /** Waits for running statements, but not for a database that has stopped responding. */
  async close(): Promise<void> {
    await atMost(closingMaxMs, Promise.all([this.#points.end(), this.#pages.end(), this.#pools.end()]))
  }
}
