import type pg from 'pg'
import type { Connection, Sql, StatementSource, Tuple } from './database.ts'

/** A transaction. It begins with the first statement that is more than a read: before that it would hold nothing. */
export interface DatabaseTransaction extends Connection {
  /**
   * Runs a SELECT that locks nothing. Each statement of a transaction sees the latest commits (READ COMMITTED), so
   * until the transaction begins, the SELECT runs outside of it and sees the same.
   */
  read(sql: Sql): Promise<readonly Tuple[]>
  /**
   * Sends a write together with the statement that follows it, or with COMMIT. Nobody sees its rows; if it fails, that
   * statement does.
   */
  runLater(sql: Sql): Promise<void>
  /** Runs the last statement: if the transaction has not begun, the statement is a transaction by itself. */
  last(sql: Sql): Promise<readonly Tuple[]>
  /**
   * Called before a statement that takes these locks. If too many other transactions take one of them, this one ends,
   * and begins again when its turn has come: see `LockQueues`.
   */
  enterLocks(locks: readonly string[]): void
  /** The locks that others wait for, without a connection, and that it has not entered. */
  crowdedLocks(): readonly string[]
}

/**
 * In a `snapshot` all reads see one moment. An `export` is a snapshot that only reads, may last long, and has a
 * connection that no request waits for.
 */
export type TransactionKind = 'snapshot' | 'export'

/** What is sent before a statement, in the same turn. */
export interface SentBefore {
  /** Begins the transaction. */
  readonly begin?: string | undefined
  readonly writes?: readonly Sql[]
}

/** The database's part of a transaction. */
interface Means {
  connect(): Promise<pg.PoolClient>
  send(client: pg.PoolClient, sql: Sql, before?: SentBefore): Promise<readonly Tuple[]>
  read(sql: Sql): Promise<readonly Tuple[]>
  alone(sql: Sql): Promise<readonly Tuple[]>
  /** Throws if the transaction must begin again. */
  enterLocks(locks: readonly string[]): void
  crowdedLocks(): readonly string[]
}

const statement = (text: string): Sql => ({ text, values: [], once: true })

export class LateTransaction implements DatabaseTransaction {
  readonly #means: Means
  readonly #kind: TransactionKind | undefined
  #begun: Promise<pg.PoolClient> | undefined
  #client: pg.PoolClient | undefined
  #ended = false
  /** Goes with the first statement. A snapshot has begun before, since it must set its level. */
  #begin: string | undefined
  /** These go with the next statement. */
  #writes: Sql[] = []
  /** The previous statement. The next one is sent when it has ended, so that the driver queues none. */
  #before: Promise<unknown> = Promise.resolve()
  /** Why no other statement is sent: the first one has failed, or the transaction must begin again. */
  #fault: { readonly error: unknown } | undefined

  constructor(means: Means, kind?: TransactionKind) {
    this.#means = means
    this.#kind = kind
    if (!kind) this.#begin = 'BEGIN ISOLATION LEVEL READ COMMITTED'
  }

  async run(sql: Sql): Promise<readonly Tuple[]> {
    if (this.#ended) throw new Error('the transaction has ended')
    return this.#send(await this.#start(), sql)
  }

  read(sql: Sql): Promise<readonly Tuple[]> {
    return this.#begun || this.#kind ? this.run(sql) : this.#means.read(sql)
  }

  async runLater(sql: Sql): Promise<void> {
    if (this.#ended) throw new Error('the transaction has ended')
    await this.#start()
    this.#writes.push(sql)
  }

  async last(sql: Sql): Promise<readonly Tuple[]> {
    if (this.#begun || this.#ended) return this.run(sql)
    const rows = await this.#means.alone(sql)
    this.#ended = rows.length > 0
    // A retry after a lost race may have written nothing yet. It begins at once, so that what it reads does not grow
    // old while it waits for a connection.
    if (!this.#ended) await this.#start()
    return rows
  }

  enterLocks(locks: readonly string[]): void {
    // Begun again, it would write twice.
    if (this.#ended) throw new Error('the transaction has ended')
    try {
      this.#means.enterLocks(locks)
    } catch (error) {
      this.#fault = { error }
      throw error
    }
  }

  crowdedLocks(): readonly string[] {
    return this.#means.crowdedLocks()
  }

  /**
   * Statements run one after another, in the order of their calls. When the first one fails, the database may have
   * refused it before BEGIN: the next ones would be stored outside of any transaction, so they are not sent.
   */
  #send(client: pg.PoolClient, sql: Sql, isEnd = false): Promise<readonly Tuple[]> {
    const begin = this.#begin
    this.#begin = undefined
    // What is undone need not be done before.
    const writes = sql.text.startsWith('ROLLBACK') ? [] : this.#writes
    this.#writes = []
    const sent = this.#before.then(() => {
      if (this.#fault && !isEnd) throw this.#fault.error
      return this.#means.send(client, sql, { begin, writes })
    })
    this.#before = sent.catch((error: unknown) => {
      if (begin !== undefined) this.#fault = { error }
    })
    return sent
  }

  #start(): Promise<pg.PoolClient> {
    this.#begun ??= this.#connect()
    return this.#begun
  }

  async #connect(): Promise<pg.PoolClient> {
    this.#client = await this.#means.connect()
    if (this.#kind) {
      const access = this.#kind === 'export' ? ' READ ONLY' : ''
      await this.#send(this.#client, statement(`BEGIN ISOLATION LEVEL REPEATABLE READ${access}`))
    }
    return this.#client
  }

  async commit(): Promise<void> {
    if (this.#fault) throw this.#fault.error
    if (!this.#begun) return
    const client = await this.#begun
    if (this.#begin === undefined || this.#writes.length) await this.#send(client, statement('COMMIT'))
    this.#release()
  }

  /** With `broken`, its connection ends, and the transaction with it. */
  async rollBack(broken: Error | undefined): Promise<void> {
    this.#ended = true
    // One statement may fail while another waits for the connection.
    await this.#begun?.catch(() => {})
    if (!this.#client) return
    let lost = broken
    if (!lost && this.#begin === undefined) {
      await this.#send(this.#client, statement('ROLLBACK'), true).catch((failure: Error) => {
        lost = failure
      })
    }
    this.#release(lost)
  }

  #release(broken?: Error): void {
    this.#ended = true
    this.#client?.release(broken)
  }
}

/** Takes statements for a transaction, and runs them outside of any, on the pipelined connection. */
export function outsideOf(source: Pick<StatementSource, 'quick'>): DatabaseTransaction {
  const quick = (sql: Sql) => source.quick(sql)
  const runLater = async (sql: Sql) => void (await quick(sql))
  return { run: quick, read: quick, last: quick, runLater, enterLocks: () => {}, crowdedLocks: () => [] }
}

/** The same transaction, whose writes are all for later. */
export function laterIn(transaction: DatabaseTransaction, refusal?: Sql['refusal']): DatabaseTransaction {
  const run = async (sql: Sql) => {
    await transaction.runLater(refusal ? { ...sql, refusal } : sql)
    return []
  }
  return {
    ...{ run, last: run },
    read: (sql) => transaction.read(sql),
    runLater: (sql) => transaction.runLater(sql),
    enterLocks: (locks) => transaction.enterLocks(locks),
    crowdedLocks: () => transaction.crowdedLocks(),
  }
}

/** Parts of a transaction that are undone while the transaction continues. */

/** Keeps the writes of `work`, unless it fails. */
export async function keepUnlessFailed<T>(inside: Connection, work: () => Promise<T>): Promise<T> {
  await control(inside, 'SAVEPOINT part')
  try {
    const done = await work()
    await control(inside, 'RELEASE SAVEPOINT part')
    return done
  } catch (error) {
    await undo(inside)
    throw error
  }
}

/** Undoes the writes of `work`, whether it fails or not. */
export async function undoAlways<T>(inside: Connection, work: () => Promise<T>): Promise<T> {
  await control(inside, 'SAVEPOINT part')
  try {
    const done = await work()
    // Checks now what the end of the transaction would check.
    await control(inside, 'SET CONSTRAINTS ALL IMMEDIATE')
    return done
  } finally {
    await undo(inside)
  }
}

// Also ends the savepoint, since the one around it has the same name.
async function undo(inside: Connection): Promise<void> {
  await control(inside, 'ROLLBACK TO SAVEPOINT part')
  await control(inside, 'RELEASE SAVEPOINT part')
}

const control = (inside: Connection, text: string) => inside.run({ text, values: [] })
