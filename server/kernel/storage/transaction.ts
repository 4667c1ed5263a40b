import type pg from 'pg'
import type { Connection, Sql, StatementSource, Tuple } from './database.ts'

/** Whether a write is the last statement of its transaction, and whether COMMIT goes with it. */
export type Last = boolean | 'with commit'

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
   * Runs the last statement together with COMMIT. It is a write that returns the id of its row. If it writes nothing
   * it fails, and the transaction begins again. Reads that follow run outside.
   */
  lastWithCommit(sql: Sql): Promise<readonly Tuple[]>
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

/** The rows of each statement of a message. */
export type Results = readonly (readonly Tuple[])[]

/** The database's part of a transaction. */
interface Means {
  connect(): Promise<pg.PoolClient>
  /** Sends statements in one message. `begin` comes before them: it begins the transaction. */
  send(client: pg.PoolClient, statements: readonly Sql[], begin?: string): Promise<Results>
  read(sql: Sql): Promise<readonly Tuple[]>
  alone(sql: Sql): Promise<readonly Tuple[]>
  /** Throws if the transaction must begin again. */
  enterLocks(locks: readonly string[]): void
  crowdedLocks(): readonly string[]
}

const statement = (text: string): Sql => ({ text, values: [], once: true })

/** The same write, which fails as one that has lost a race if it writes nothing. */
const orLoseRace = (sql: Sql): Sql => ({
  ...sql,
  text: `WITH written AS (${sql.text})
    SELECT written.* FROM (SELECT) one LEFT JOIN written ON true WHERE written.id IS NOT NULL OR lose_race()`,
})

/** A statement that has not been sent. Nobody waits for one that is for later. */
interface Unsent {
  readonly sql: Sql
  readonly outcome?: PromiseWithResolvers<readonly Tuple[]>
}

export class LateTransaction implements DatabaseTransaction {
  readonly #means: Means
  readonly #kind: TransactionKind | undefined
  #begun: Promise<pg.PoolClient> | undefined
  #client: pg.PoolClient | undefined
  #ended = false
  /** Goes with the first statement. A snapshot has begun before, since it must set its level. */
  #begin: string | undefined
  /** In the order of their calls. */
  #unsent: Unsent[] = []
  /** Ends when all that somebody waits for has been sent, and has an answer. */
  #sending: Promise<void> | undefined
  /** Why no other statement is sent: the first one has failed, or the transaction must begin again. */
  #fault: { readonly error: unknown } | undefined

  constructor(means: Means, kind?: TransactionKind) {
    this.#means = means
    this.#kind = kind
    if (!kind) this.#begin = 'BEGIN ISOLATION LEVEL READ COMMITTED'
  }

  run(sql: Sql): Promise<readonly Tuple[]> {
    const outcome = Promise.withResolvers<readonly Tuple[]>()
    // What is undone need not be done before.
    if (sql.text.startsWith('ROLLBACK')) this.#dropUnsent(new Error('it was undone before it was sent'))
    if (this.#ended) outcome.reject(hasEnded())
    else this.#send({ sql, outcome })
    return outcome.promise
  }

  read(sql: Sql): Promise<readonly Tuple[]> {
    const isInside = this.#kind || (this.#begun && !this.#ended)
    return isInside ? this.run(sql) : this.#means.read(sql)
  }

  async runLater(sql: Sql): Promise<void> {
    if (this.#ended) throw hasEnded()
    this.#unsent.push({ sql })
    await this.#start()
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

  async lastWithCommit(sql: Sql): Promise<readonly Tuple[]> {
    const sent = Promise.all([this.run(orLoseRace(sql)), this.run(statement('COMMIT'))])
    this.#ended = true
    return (await sent)[0]
  }

  enterLocks(locks: readonly string[]): void {
    // Begun again, it would write twice.
    if (this.#ended) throw hasEnded()
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

  #send(unsent: Unsent): void {
    this.#unsent.push(unsent)
    this.#sending ??= this.#sendAll()
  }

  /**
   * Statements run one after another, in the order of their calls. Those of one turn go in one message: it is sent when
   * the previous one has its answer, and all code that can go on without one has done so.
   */
  async #sendAll(): Promise<void> {
    while (this.#unsent.some(({ outcome }) => outcome)) {
      try {
        const client = await this.#start()
        await endOfTurn()
        if (this.#unsent.length) await this.#sendMessage(client, this.#unsent.splice(0))
      } catch (error) {
        this.#dropUnsent(error)
      }
    }
    this.#sending = undefined
  }

  /** If one of them fails, PostgreSQL runs none that follows, and all of the transaction is undone: all fail. */
  async #sendMessage(client: pg.PoolClient, unsent: readonly Unsent[]): Promise<void> {
    const begin = this.#begin
    this.#begin = undefined
    try {
      if (this.#fault) throw this.#fault.error
      const statements = unsent.map(({ sql }) => sql)
      const results = await this.#means.send(client, statements, begin)
      for (const [i, { outcome }] of unsent.entries()) outcome?.resolve(results[i] ?? [])
    } catch (error) {
      // The database may have refused it before BEGIN: the next ones would be stored outside of any transaction.
      if (begin !== undefined) this.#fault = { error }
      for (const { outcome } of unsent) outcome?.reject(error)
    }
  }

  #dropUnsent(error: unknown): void {
    for (const { outcome } of this.#unsent.splice(0)) outcome?.reject(error)
  }

  #start(): Promise<pg.PoolClient> {
    this.#begun ??= this.#connect()
    return this.#begun
  }

  async #connect(): Promise<pg.PoolClient> {
    this.#client = await this.#means.connect()
    if (this.#kind) {
      const access = this.#kind === 'export' ? ' READ ONLY' : ''
      await this.#means.send(this.#client, [statement(`BEGIN ISOLATION LEVEL REPEATABLE READ${access}`)])
    }
    return this.#client
  }

  async commit(): Promise<void> {
    if (this.#fault) throw this.#fault.error
    if (!this.#begun) return
    await this.#begun
    if (!this.#ended && (this.#begin === undefined || this.#unsent.length))
      await this.run(statement('COMMIT'))
    this.#release()
  }

  /** With `broken`, its connection ends, and the transaction with it. What has not been sent need not be undone. */
  async rollBack(broken: Error | undefined): Promise<void> {
    this.#ended = true
    // One statement may fail while another waits for the connection, or for the answer to a message.
    await this.#begun?.catch(() => {})
    this.#dropUnsent(hasEnded())
    if (!this.#client) return
    let lost = broken
    if (!lost) await this.#sending
    if (!lost && this.#begin === undefined) {
      await this.#means.send(this.#client, [statement('ROLLBACK')]).catch((failure: Error) => {
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

const hasEnded = () => new Error('the transaction has ended')

/** When all code that waits for no answer has run. */
const endOfTurn = () => new Promise<void>((done) => process.nextTick(done))

/** Takes statements for a transaction, and runs them outside of any, on the pipelined connection. */
export function outsideOf(source: Pick<StatementSource, 'quick'>): DatabaseTransaction {
  const quick = (sql: Sql) => source.quick(sql)
  const runLater = async (sql: Sql) => void (await quick(sql))
  const others = { runLater, enterLocks: () => {}, crowdedLocks: () => [] }
  return { run: quick, read: quick, last: quick, lastWithCommit: quick, ...others }
}

/** The same transaction for work that others continue: nothing of it is last. */
export const continued = (transaction: DatabaseTransaction): DatabaseTransaction => ({
  run: (sql) => transaction.run(sql),
  last: (sql) => transaction.run(sql),
  lastWithCommit: (sql) => transaction.run(sql),
  read: (sql) => transaction.read(sql),
  runLater: (sql) => transaction.runLater(sql),
  enterLocks: (locks) => transaction.enterLocks(locks),
  crowdedLocks: () => transaction.crowdedLocks(),
})

/** The same transaction, whose writes are all for later. */
export function laterIn(transaction: DatabaseTransaction, refusal?: Sql['refusal']): DatabaseTransaction {
  const run = async (sql: Sql) => {
    await transaction.runLater(refusal ? { ...sql, refusal } : sql)
    return []
  }
  return {
    ...{ run, last: run, lastWithCommit: run },
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
