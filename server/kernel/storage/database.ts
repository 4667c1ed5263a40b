import pg from 'pg'
import { StartupError, Unavailable } from '../../platform/faults.ts'
import { atMost } from '../at-most.ts'
import { LostRace, Problem } from '../errors.ts'
import type { Reading } from '../metrics/metrics.ts'
import { currentTimings, outOfPlace } from '../traces/scopes.ts'
import { inSpan } from '../traces/spans.ts'
import { Lanes } from './connections/lanes.ts'
import { LockQueues, type LockVisit } from './connections/lock-queues.ts'
import { countTimeout, nameClient, observeStatement, readPool, timeWait } from './connections/observe.ts'
import { cancelWith, LimitedUse } from './connections/slow-reads.ts'
import { isPrepared, nameOn, planOnce, Statements } from './connections/statement.ts'
import { isOutOfSpace } from './disk-space.ts'
import { type RowSink, rowSocket, tapRows } from './row-tap.ts'
import {
  type DatabaseTransaction,
  LateTransaction,
  type Results,
  type TransactionKind,
} from './transaction.ts'

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
  /** The client's words for an error of the statement; undefined if it has none for it. */
  readonly refusal?: ((error: unknown) => Error | undefined) | undefined
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
}

const outage = (cause: unknown, detail = 'The database is not reachable.') =>
  new Problem('unavailable', detail, { cause })

/** What a caller is told of a failed statement. */
function refusalOf(error: unknown): unknown {
  if (!isOutage(error)) return error
  if (isOutOfSpace(error)) return outage(error, 'The database has no disk space left.')
  if (sqlState(error) === readOnlyState) return outage(error, 'The database accepts no writes.')
  return (error as Error).message === 'Query read timeout'
    ? outage(error, 'The database did not respond in time.')
    : outage(error)
}

// After such a failure the connection is given up. Not after a full disk: the connection is fine, and a new one may be
// hard to get.
const isUnavailable = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'unavailable' && !isOutOfSpace(error.cause)

/** A write on a standby, or on a database that was made read-only. */
const readOnlyState = '25006'

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

/** A cancelled statement. */
const isCancelled = (error: unknown) => sqlState(error) === '57014'

const transactionAttemptsMax = 4

/** The time limit of a statement in a request: clients do not wait longer. */
export const statementMaxMs = 30_000
const longStatementMaxMs = 3_600_000
const closingMaxMs = 5_000

const pageLanes = 2

/** How many exports a process has at once, at most; each has a connection. */
export const exportsMax = 4

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
}

export class Database implements StatementSource {
  readonly pool: pg.Pool
  readonly #slowReads: LimitedUse
  readonly #slowReadPool: pg.Pool
  readonly #exportPool: pg.Pool
  readonly #points: Lanes
  readonly #pages: Lanes
  readonly #lockQueues: LockQueues
  readonly #limitMs: number | undefined
  readonly #poolNames = new Map<pg.Pool, string>()
  readonly #lanes: Readonly<Record<string, Lanes>>
  /** Called for each statement that fails because the disk is full. */
  onNoSpace: () => void = () => {}

  constructor(
    url: string,
    connections: number,
    { name = 'requests', limitMs, giveWay, plansOnce }: DatabaseOptions = {},
  ) {
    this.#limitMs = limitMs
    this.#lockQueues = new LockQueues(`${name}-locks`, connections)
    const config: pg.ClientConfig = {
      connectionString: url,
      application_name: 'sutler',
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
    const prepare = plansOnce ? planOnce : () => {}
    this.#points = new Lanes(1, open(`${name}-points`), prepare)
    this.#pages = new Lanes(pageLanes, open(`${name}-pages`))
    this.#lanes = { [`${name}-points`]: this.#points, [`${name}-pages`]: this.#pages }
    const slowReads = Math.max(1, Math.floor(connections / 2))
    this.#slowReads = new LimitedUse(slowReads, (turn) => timeWait(`${name}-slow-reads`, turn))
    const newPool = (max: number, poolName: string) => {
      const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: 60_000 })
      this.#poolNames.set(pool, poolName)
      pool.on('connect', (client) => nameClient(client, poolName))
      // The pool replaces an idle connection that breaks; without a listener the error would end the process.
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {}))
      return pool
    }
    this.pool = newPool(connections, name)
    this.#slowReadPool = newPool(slowReads, `${name}-slow-reads`)
    this.#exportPool = newPool(exportsMax, `${name}-exports`)
    this.pool.on('connect', prepare)
    for (const slow of [this.#slowReadPool, this.#exportPool])
      slow.on('connect', (client) => giveWay?.(client))
  }

  /** Throws an error of one line if the database is missing, or cannot be used. */
  async mustBeReachable(): Promise<void> {
    try {
      await this.#onPool({ text: 'SELECT 1', values: [], once: true })
    } catch (error) {
      const { message, code } = (error instanceof Problem ? error.cause : error) as NodeJS.ErrnoException
      throw new StartupError(`cannot use the database (DATABASE_URL): ${message || code}`, { cause: error })
    }
  }

  /** When the signal aborts, the message is cancelled, and the signal's reason is thrown. */
  async #query(
    client: pg.ClientBase,
    statements: readonly Sql[],
    { signal, begin }: { readonly signal?: AbortSignal | undefined; readonly begin?: string | undefined },
  ): Promise<Results> {
    if (!signal) return this.#send(client, statements, begin)
    signal.throwIfAborted()
    const ended = cancelWith(signal, client)
    try {
      return await this.#send(client, statements, begin)
    } catch (error) {
      if (signal.aborted && isCancelled(error)) throw signal.reason
      throw error
    } finally {
      await ended()
    }
  }

  /** Sends statements in one message. Of several, each is prepared, or the last: others get messages of their own. */
  #send(client: pg.ClientBase, statements: readonly Sql[], begin?: string): Promise<Results> {
    const named = statements.map(({ text, values, once }) => ({
      ...{ text, values, name: once ? '' : nameOn(client, text) },
    }))
    if (!named.every(({ name }, i) => i === named.length - 1 || isPrepared(client, name)))
      return this.#sendEach(client, statements, begin)
    const limitMs = this.#limitMs && statements.some(({ long }) => long) ? longStatementMaxMs : this.#limitMs
    const { promise, resolve, reject } = Promise.withResolvers<Results>()
    const onEnd = statements.map(observeStatement)
    const sink = statements.at(-1)?.sink
    let untap: (() => void) | undefined
    const sent = new Statements(named, begin, limitMs, (error, results) => {
      for (const [i, end] of onEnd.entries()) end?.(results[i]?.length ?? 0, error)
      untap?.()
      if (!error) return resolve(results)
      countTimeout(error, client)
      reject(statements[sent.firstOpen]?.refusal?.(error) ?? this.#refusalOf(error))
    })
    client.query(sent)
    untap = sink && tapRows(client, sink)
    return promise
  }

  /** One after the other, since a statement whose text a connection has not seen needs a message of its own. */
  async #sendEach(client: pg.ClientBase, statements: readonly Sql[], begin?: string): Promise<Results> {
    const results: (readonly Tuple[])[] = []
    for (const [i, sql] of statements.entries())
      results.push(...(await this.#send(client, [sql], i ? undefined : begin)))
    return results
  }

  async #connection(pool = this.pool): Promise<pg.PoolClient> {
    const name = this.#poolNames.get(pool) ?? ''
    return timeWait(name, pool.connect()).catch((error: unknown) => {
      countTimeout(error, name)
      throw isOutOfSpace(error) ? this.#refusalOf(error) : outage(error)
    })
  }

  #refusalOf(error: unknown): unknown {
    if (isOutOfSpace(error)) this.onNoSpace()
    return refusalOf(error)
  }

  async #onPool(sql: Sql, signal?: AbortSignal, pool = this.pool): Promise<readonly Tuple[]> {
    const client = await this.#connection(pool)
    let broken: Error | undefined
    try {
      const [rows = []] = await this.#query(client, [sql], { signal })
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
    return lanes.send(async (client) => (await this.#send(client, [sql]))[0] ?? [], isUnavailable)
  }

  /**
   * The connections of a request that only reads. Its statements end when the signal aborts. Slow reads have
   * connections of their own, half as many as the others, and so do exports.
   */
  reading(signal: () => AbortSignal): StatementSource {
    return {
      quick: (sql) => this.quick(sql),
      run: (sql) => this.#readSlowly(signal, () => this.#alone(sql, signal(), this.#slowReadPool)),
      transaction: (work, kind) =>
        kind === 'export'
          ? this.#transaction(work, kind, signal(), this.#exportPool)
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
  ): Promise<T> {
    return inSpan('transaction', {}, () =>
      this.#lockQueues.visit((visit) => this.#attempt(work, visit, kind, signal, pool)),
    )
  }

  async #attempt<T>(
    work: (transaction: DatabaseTransaction) => Promise<T>,
    visit: LockVisit,
    kind: TransactionKind | undefined,
    signal: AbortSignal | undefined,
    pool: pg.Pool,
  ): Promise<T> {
    const means = {
      connect: () => this.#connection(pool),
      send: (client: pg.PoolClient, statements: readonly Sql[], begin?: string) =>
        this.#query(client, statements, { signal, begin }),
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
        else if (!hasLostRace(error)) throw error
        else if (++losses === transactionAttemptsMax) throw new LostRace(error)
      }
    }
  }

  get #pools(): readonly pg.Pool[] {
    return [...this.#poolNames.keys()]
  }

  /** For metrics: its connections, and who waits for one, or for a lock without one. */
  get connections(): readonly Reading[] {
    const pools = [...this.#poolNames].map(([{ totalCount, idleCount: idle, waitingCount }, name]) =>
      readPool(name, { active: totalCount - idle, idle, waiting: waitingCount }),
    )
    const lanes = Object.entries(this.#lanes).map(([name, some]) => some.readAs(name))
    return [...pools, ...lanes, this.#lockQueues.read()].flat()
  }

  /** Waits for running statements, but not for a database that has stopped responding. */
  async close(): Promise<void> {
    await atMost(
      closingMaxMs,
      Promise.all([this.#points.end(), this.#pages.end(), ...this.#pools.map((pool) => pool.end())]),
    )
  }
}
