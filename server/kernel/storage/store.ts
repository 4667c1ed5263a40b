import { newId } from '../ids.ts'
import { haveOwnType, timeAsShown } from '../shape/envelope.ts'
import type { Fields } from '../shape/fields.ts'
import type { Draft, Model, Row, Whole } from '../shape/model.ts'
import { definitionUnchanged, modelInState, withAddedFields } from './added-fields.ts'
import { Binds } from './binds.ts'
import type { Connection, Sql, StatementSource, Tuple } from './database.ts'
import { advisoryLockSql, lockedRowsIn, lockNames, lockSql } from './locks.ts'
import {
  type Batch,
  type ChangedRow,
  changeAllSql,
  type DatedRow,
  insertAllSql,
  insertFromSql,
  type NewRow,
  readBytesInBatches,
  readInBatches,
  removeAllSql,
  type Sweep,
  updateAllOf,
  type Writer,
} from './many-rows.ts'
import { refusalOf, type WrittenTable } from './refusals.ts'
import { returning, statementsOf } from './row-statements.ts'
import type { RowSink } from './row-tap.ts'
import { stateIn, textsOf, toRow, wholeColumns, writtenRow } from './stored-row.ts'
import {
  type DatabaseTransaction,
  keepUnlessFailed,
  type Last,
  laterIn,
  outsideOf,
  type TransactionKind,
  undoAlways,
} from './transaction.ts'

/** A statement that reads. */
type Select = `SELECT ${string}`

/** The rows of a table: of one resource, or of several that share it. */
export type Rows = Pick<Model, 'table'> & Partial<Pick<Model, 'envelope'>> & WrittenTable

/** The format of an author: the change feed contains both parts. */
export const authorOf = (actor: string, requestId: string): string => `${actor} ${requestId}`

/**
 * The rows of one store, through the pool or in one transaction. The triggers of the tables record every write in the
 * change feed, with `by` as its author.
 */
export class Store {
  readonly id: string
  readonly #source: StatementSource
  readonly #now: () => Date
  readonly #by: string
  readonly #transaction: DatabaseTransaction | undefined
  readonly #connection: Connection
  readonly #reader: Connection

  constructor(
    id: string,
    source: StatementSource,
    now: () => Date,
    by: string,
    transaction?: DatabaseTransaction,
  ) {
    this.id = id
    this.#source = source
    this.#now = now
    this.#by = by
    this.#transaction = transaction
    this.#connection = transaction ?? source
    this.#reader = { run: (sql) => (transaction ? transaction.read(sql) : source.quick(sql)) }
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined
  }

  /** The author and the request: see `authorOf`. */
  get author(): string {
    return this.#by
  }

  /** The value for `recordedBy`. */
  get stamp(): string {
    return `${this.#by} ${this.#now().toISOString()}`
  }

  /** The same store, outside of any open transaction. */
  outside(): Store {
    if (!this.inTransaction) return this
    // A holder of a pool connection must not wait for a second one: if all did, none would be free.
    return this.#within(outsideOf(this.#source))
  }

  /**
   * The same store for writes whose outcome nobody reads: each goes with the statement that follows it, or with COMMIT,
   * and returns no rows. If it fails, that statement does, with the `refusal` of its error. Outside of a transaction
   * they run at once, and without a refusal.
   */
  later(refusal?: Sql['refusal']): Store {
    return this.#transaction ? this.#within(laterIn(this.#transaction, refusal)) : this
  }

  /** The same store without replicas. */
  onPrimary(): Store {
    return new Store(this.id, this.#source.primary ?? this.#source, this.#now, this.#by, this.#transaction)
  }

  /** The same store, with another author. */
  by(by: string): Store {
    return new Store(this.id, this.#source, this.#now, by, this.#transaction)
  }

  /** Runs `work` with the same store in one transaction, and again if it lost a race. See `Database.transaction`. */
  transaction<T>(work: (store: Store) => Promise<T>, kind?: TransactionKind): Promise<T> {
    return this.#source.transaction((transaction) => work(this.#within(transaction)), kind)
  }

  #within(transaction: DatabaseTransaction): Store {
    return new Store(this.id, this.#source, this.#now, this.#by, transaction)
  }

  async find<F extends Fields>(
    of: Model<F>,
    id: string,
    scope: readonly string[] = [],
  ): Promise<Row<F> | undefined> {
    return this.#find(of, statementsOf(of).find, [this.id, id, ...scope])
  }

  /** Also reads the hidden values, and what a thing holds, for an update. */
  async findWhole<F extends Fields, C>(
    of: Model<F, C>,
    id: string,
    scope: readonly string[] = [],
  ): Promise<Whole<F, C> | undefined> {
    return this.#find(of, statementsOf(of).findWhole, [this.id, id, ...scope]) as Promise<
      Whole<F, C> | undefined
    >
  }

  async #find<F extends Fields>(of: Model<F>, text: string, values: readonly unknown[]) {
    for (;;) {
      const rows = await this.rowsOf(of, await this.#reader.run({ text, values }))
      if (rows) return rows[0]
    }
  }

  /**
   * Rows of a resource from the columns of a statement (`rowColumns`), which begin at `at`. Undefined if the store has
   * changed its added fields since: the caller must read the rows again.
   */
  async rowsOf<F extends Fields>(
    of: Model<F>,
    tuples: readonly Tuple[],
    at = 0,
  ): Promise<readonly Row<F>[] | undefined> {
    const [first] = tuples
    if (!of.addedUnder || !first) return tuples.map((tuple) => toRow(of, tuple, at))
    const own = await modelInState(of, stateIn(of, first, at), (text, ...values) =>
      this.read(text, ...values),
    )
    return own && tuples.map((tuple) => toRow(own, tuple, at))
  }

  /**
   * Inserts a row. If it is the `last` statement, it needs no open transaction; the same holds for `update` and
   * `remove`. Undefined if the store's added fields differ from the resource's, or the store `s` does not meet the
   * `condition`.
   */
  async insert<F extends Fields, C>(
    into: Model<F, C>,
    row: DatedRow<F> & Pick<Draft<F, C>, 'inside'>,
    last: Last = false,
    condition?: Sweep['where'],
  ): Promise<Whole<F, C> | undefined> {
    const [doc, ...beside] = textsOf(into, row.values, row.inside)
    const address = [this.id, row.id ?? newId(), ...(row.scope ?? [])]
    const time = timeAsShown(this.#now(), into.envelope)
    const { values, bind } = new Binds([...address, row.createdAt ?? time, doc, ...beside, this.stamp, time])
    const { insert, insertIf, recorded } = statementsOf(into)
    const { type } = haveOwnType(into.fields, into.envelope) ? (row.values as { type?: string }) : {}
    const conditions = [definitionUnchanged(into, bind, 's.id'), condition?.(bind)].filter(Boolean)
    const write = conditions.length ? `${insertIf} AND ${conditions.join(' AND ')}` : insert
    const text = returning(into, write, recorded)
    const [tuple] = await this.#write(into, { text, values }, { last, type })
    return tuple && writtenRow(into, tuple.slice(0, -1), beside[0], row.inside)
  }

  /** Inserts any number of rows, all or none, in one statement. Returns their ids. */
  async insertAll<F extends Fields>(into: Model<F>, rows: readonly NewRow<F>[]): Promise<readonly string[]> {
    return rows.length ? this.#writeMany(into, insertAllSql(into, rows, this.#writer(into))) : []
  }

  /** Stores new values in these rows, in one statement. The caller has locked them (see `lock`). */
  async updateAll<F extends Fields>(of: Model<F>, rows: readonly ChangedRow<F>[]): Promise<void> {
    if (rows.length) await this.changeAll(of, updateAllOf(of, rows))
  }

  /** Locks rows, and reads them as `findWhole` does: those of one scope, or of all. Skips missing rows. */
  async lockWhole<F extends Fields, C>(
    of: Model<F, C>,
    ids: readonly string[],
    scope: readonly string[] = [],
  ): Promise<readonly Whole<F, C>[]> {
    this.enterLocks(of, ids)
    if (!ids.length) return []
    const below = scope.map((_, i) => ` AND ${of.scopeColumns[i]} = $${i + 3}`).join('')
    const text =
      `SELECT ${wholeColumns(of)} FROM ${of.table} WHERE store_id = $1 AND id = ANY($2::uuid[])${below} ` +
      'ORDER BY id FOR NO KEY UPDATE'
    for (;;) {
      const rows = await this.rowsOf(of, await this.run(text, ids, ...scope))
      if (rows) return rows as readonly Whole<F, C>[]
    }
  }

  /** Runs work that the database may refuse. If so, its writes are undone and the transaction continues. */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    return keepUnlessFailed(this.#connection, work)
  }

  /** Runs `work` and undoes its writes: see `Work.rehearse`. Needs a transaction. */
  runAndUndo<T>(work: () => Promise<T>): Promise<T> {
    return undoAlways(this.#connection, work)
  }

  /** Stores new values in a row; undefined if another write, or a new definition, came first. */
  async update<F extends Fields, C>(
    of: Model<F, C>,
    row: Row<F>,
    { values, inside }: Pick<Draft<F, C>, 'values' | 'inside'>,
    last: Last = false,
  ): Promise<Whole<F, C> | undefined> {
    const own = withAddedFields(of, row.added)
    const [doc, ...beside] = textsOf(own, values, inside)
    const at = [this.id, row.id, ...row.scope, timeAsShown(this.#now(), of.envelope)]
    const binds = new Binds([...at, doc, ...beside, this.stamp, row.version])
    const unchanged = definitionUnchanged(own, binds.bind, 'store_id')
    const text = returning(own, `${statementsOf(own).update}${unchanged && ` AND ${unchanged}`}`)
    const [tuple] = await this.#write(of, { text, values: binds.values }, { last })
    return tuple && writtenRow(own, tuple, beside[0], inside)
  }

  /**
   * Makes a new version of a row because something that it shows has changed elsewhere. False if there is no such row.
   */
  async touch(of: Model, id: string, scope: readonly string[] = []): Promise<boolean> {
    const values = [this.id, id, ...scope, timeAsShown(this.#now(), of.envelope), this.stamp]
    return (await this.#write(of, { text: statementsOf(of).touch, values })).length > 0
  }

  /** False if another write came first. */
  async remove(of: Model, row: Row, last = false): Promise<boolean> {
    const values = [this.id, row.id, ...row.scope, this.stamp, row.version]
    // Long, because a delete cascades.
    const sql = { text: statementsOf(of).remove, values, long: true }
    return (await this.#write(of, sql, { last })).length > 0
  }

  /**
   * Locks rows for a write: until the transaction ends, no one else can change, lock or delete them. Locks are taken in
   * the order of the ids, so that no two transactions wait for each other. Returns the ids of the existing rows.
   */
  lock(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'NO KEY UPDATE')
  }

  /** As `lock`; also prevents new rows below them. */
  lockExclusive(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'UPDATE')
  }

  /** Locks rows against deletion until the transaction ends. Others may change them. */
  lockShared(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'KEY SHARE')
  }

  /** Reads rows and locks them: see `lockShared`. */
  readAndLock(text: Select, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.run(`${text} FOR KEY SHARE`, ...values)
  }

  /** Called before SQL of a module's own that locks these rows. The methods above do it: see `LockQueues`. */
  enterLocks(of: Rows, ids: readonly string[]): void {
    if (!this.#transaction) throw new Error(`${of.table}: a lock has no effect outside a transaction`)
    this.#transaction.enterLocks(lockNames(this.id, of, ids))
  }

  /** The rows that others wait for. One who takes such a row late enters its lock soon, to do nothing in vain. */
  crowdedRows(of: Rows): readonly string[] {
    return lockedRowsIn(this.id, of, this.#transaction?.crowdedLocks() ?? [])
  }

  async #lock(of: Rows, ids: readonly string[], strength: string): Promise<ReadonlySet<string>> {
    this.enterLocks(of, strength === 'KEY SHARE' ? [] : ids)
    const rows = await this.run(lockSql(of, '$2', strength), ids)
    return new Set(rows.map(([id]) => id as string))
  }

  /** Takes a lock by name, for what has no row, until the transaction ends. */
  async advisoryLock(name: string): Promise<void> {
    this.#transaction?.enterLocks([`${this.id} ${name}`])
    await this.run(`SELECT ${advisoryLockSql('$2')} FROM stores WHERE id = $1`, name)
  }

  /** Inserts the rows of a query in one statement; existing rows stay as they are. Returns the ids of the new ones. */
  insertFrom(into: Rows, batch: Batch): Promise<readonly string[]> {
    return this.#writeMany(into, insertFromSql(into, batch, this.#writer(into)))
  }

  /** Changes all rows that meet a condition, each to a new version, in one statement. Returns their ids. */
  changeAll(of: Rows, sweep: Sweep): Promise<readonly string[]> {
    return this.#writeMany(of, changeAllSql(of, sweep, this.#writer(of)))
  }

  /**
   * Makes a new version of all rows that meet a condition, because something that they show has changed. Returns their
   * ids.
   */
  touchAll(of: Rows, where: Sweep['where']): Promise<readonly string[]> {
    return this.changeAll(of, { where })
  }

  /** Deletes all rows that meet a condition, and what depends on them. Returns their ids. */
  removeAll(of: Rows, where: Sweep['where']): Promise<readonly string[]> {
    return this.#writeMany(of, removeAllSql(of, where, this.#writer(of)))
  }

  async #writeMany(of: Rows, sql: Sql): Promise<readonly string[]> {
    return (await this.#write(of, sql)).map(([id]) => id as string)
  }

  #writer(of: Rows): Writer {
    return { storeId: this.id, stamp: this.stamp, time: timeAsShown(this.#now(), of.envelope) }
  }

  /** Runs a statement. `$1` is this store's id; the values follow. */
  run(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#connection.run({ text, values: [this.id, ...values] })
  }

  /**
   * As `run`, for a read that is certainly short and locks nothing. It uses the pipelined connection, even in a
   * transaction that has not begun.
   */
  read(text: Select, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#reader.run({ text, values: [this.id, ...values] })
  }

  /** Reads a page of a list. Its first value is replaced by this store's id. */
  page(sql: Sql): Promise<readonly Tuple[]> {
    return (sql.page ? this.#reader : this.#connection).run({
      ...sql,
      values: [this.id, ...sql.values.slice(1)],
    })
  }

  /** Reads any number of rows: see `readInBatches`. The first value of the statement is replaced by this store's id. */
  inBatches(sql: Sql): AsyncIterable<readonly Tuple[]> {
    return readInBatches(...this.#cursorFor(sql))
  }

  /** The same as bytes: see `readBytesInBatches`. */
  bytesInBatches(sql: Sql, sink: RowSink): AsyncIterable<void> {
    return readBytesInBatches(...this.#cursorFor(sql), sink)
  }

  #cursorFor(sql: Sql): [Connection, Sql] {
    if (!this.inTransaction) throw new Error('a cursor needs a transaction')
    return [this.#connection, { ...sql, values: [this.id, ...sql.values.slice(1)] }]
  }

  /** As `run`, for a write that is certainly short and waits for no lock. It uses the pipelined connection too. */
  write(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    const sql = { text, values: [this.id, ...values] }
    return this.#transaction ? this.#transaction.run(sql) : this.#source.quick(sql)
  }

  /** Runs a statement that may touch any number of rows, without the usual time limit. */
  runLong(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#connection.run({ text, values: [this.id, ...values], long: true })
  }

  #write(
    resource: Rows,
    sql: Sql,
    { last = false, type }: { readonly last?: Last; readonly type?: string | undefined } = {},
  ): Promise<readonly Tuple[]> {
    const deletes = sql.text.startsWith('DELETE')
    const write = { ...sql, refusal: (error: unknown) => refusalOf(resource, error, { type, deletes }) }
    if (!last || !this.#transaction) return this.#connection.run(write)
    return last === 'with commit' ? this.#transaction.lastWithCommit(write) : this.#transaction.last(write)
  }
}
