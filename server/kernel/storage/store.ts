import { newId } from '../ids.ts'
import { definitionUnchanged, modelInState, withAddedFields } from '../shape/added-fields.ts'
import { haveOwnType } from '../shape/envelope.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Model, Row } from '../shape/model.ts'
import { Binds } from './binds.ts'
import type { Connection, Source, Sql, Tuple } from './database.ts'
import {
  type Batch,
  type ChangedRow,
  changeAllSql,
  insertAllSql,
  insertFromSql,
  type NewRow,
  removeAllSql,
  type Sweep,
  updateAllOf,
  type Writer,
} from './many-rows.ts'
import { refusalOf } from './refusals.ts'
import { statementsOf } from './row-statements.ts'
import { keepUnlessFailed, undoAlways } from './savepoints.ts'
import { split, stateIn, toRow, wholeColumns, writtenRow } from './stored-row.ts'
import type { Transaction } from './transaction.ts'

/** A statement that reads. */
type Select = `SELECT ${string}`

/** The rows of a table: of a resource, or of several that share it. */
export type Rows = Pick<Model, 'table'> & Partial<Pick<Model, 'type' | 'parent' | 'envelope' | 'constraints'>>

/** How a store's author is written: the change feed names both. */
export const authorOf = (actor: string, requestId: string): string => `${actor} ${requestId}`

/**
 * One store's rows, over the pool or in one transaction. Whatever it writes is recorded in the change feed by the
 * tables' triggers, with `by` as its author.
 */
export class Store {
  readonly id: string
  readonly #source: Source
  readonly #now: () => Date
  readonly #by: string
  readonly #transaction: Transaction | undefined
  readonly #connection: Connection
  readonly #reader: Connection

  constructor(id: string, source: Source, now: () => Date, by: string, transaction?: Transaction) {
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

  /** Who writes, and in which request: see `authorOf`. */
  get author(): string {
    return this.#by
  }

  /** What `recordedBy` is given. */
  get stamp(): string {
    return `${this.#by} ${this.#now().toISOString()}`
  }

  /** The same store, outside of the transaction that this one may be in. */
  outside(): Store {
    if (!this.inTransaction) return this
    // Whoever holds a connection of the pool must not wait for another: all of them could be held by those who wait.
    const quick = (sql: Sql) => this.#source.quick(sql)
    return this.#within({ run: quick, read: quick, last: quick })
  }

  /** The same store, with another author. */
  by(by: string): Store {
    return new Store(this.id, this.#source, this.#now, by, this.#transaction)
  }

  /** Runs `work` with the same store in one transaction, again when it lost a race. See `Database.transaction`. */
  transaction<T>(work: (store: Store) => Promise<T>, kind?: 'snapshot'): Promise<T> {
    return this.#source.transaction((transaction) => work(this.#within(transaction)), kind)
  }

  #within(transaction: Transaction): Store {
    return new Store(this.id, this.#source, this.#now, this.#by, transaction)
  }

  async find<F extends Fields>(
    of: Model<F>,
    id: string,
    scope: readonly string[] = [],
  ): Promise<Row<F> | undefined> {
    return this.#find(of, statementsOf(of).find, [this.id, id, ...scope])
  }

  /** With the hidden values too, to be changed. */
  async findWhole<F extends Fields>(
    of: Model<F>,
    id: string,
    scope: readonly string[] = [],
  ): Promise<Row<F> | undefined> {
    return this.#find(of, statementsOf(of).findWhole, [this.id, id, ...scope])
  }

  async #find<F extends Fields>(of: Model<F>, text: string, values: readonly unknown[]) {
    for (;;) {
      const rows = await this.rowsOf(of, await this.#reader.run({ text, values }))
      if (rows) return rows[0]
    }
  }

  /**
   * Rows of a resource from a statement's columns (`rowColumns`), which begin at `at`; undefined when their store has
   * added other fields to it meanwhile: then they are to be read again.
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
   * Where it is the `last` statement, it needs no transaction by now. So of `update` and `remove`. Undefined when the
   * store has added other fields than the resource has here.
   */
  async insert<F extends Fields>(into: Model<F>, row: NewRow<F>, last = false): Promise<Row<F> | undefined> {
    return this.#insert(into, row, (bind) => ` WHERE ${definitionUnchanged(into, bind)}`, last)
  }

  /**
   * Inserts if another table has such a row `r`, which it locks (see `lockShared`). Undefined if there is none. It is the
   * last statement of its transaction.
   */
  insertIf<F extends Fields>(
    into: Model<F>,
    row: NewRow<F>,
    { table }: Rows,
    where: (bind: Binds['bind']) => string,
  ): Promise<Row<F> | undefined> {
    const isThere = (bind: Binds['bind']) =>
      `, ${table} r WHERE r.store_id = $1 AND ${where(bind)} FOR KEY SHARE OF r`
    return this.#insert(into, row, isThere, true)
  }

  async #insert<F extends Fields>(
    into: Model<F>,
    row: NewRow<F>,
    more: (bind: Binds['bind']) => string,
    last: boolean,
  ): Promise<Row<F> | undefined> {
    const [doc, hidden] = split(into, row.values)
    const address = [this.id, row.id ?? newId(), ...(row.scope ?? [])]
    const { values, bind } = new Binds([...address, this.#time(into), doc, hidden, this.stamp])
    const { insert, returning } = statementsOf(into)
    const { type } = haveOwnType(into.fields, into.envelope) ? (row.values as { type?: string }) : {}
    const [tuple] = await this.#write(into, { text: insert + more(bind) + returning, values }, { last, type })
    return tuple && writtenRow(into, tuple)
  }

  /** Inserts any number of rows, all or none, in one statement. Their ids. */
  async insertAll<F extends Fields>(into: Model<F>, rows: readonly NewRow<F>[]): Promise<readonly string[]> {
    return rows.length ? this.#writeMany(into, insertAllSql(into, rows, this.#writer(into))) : []
  }

  /** Stores all values of these rows in place of the old ones, in one statement. They are held (see `lock`). */
  async updateAll<F extends Fields>(of: Model<F>, rows: readonly ChangedRow<F>[]): Promise<void> {
    if (rows.length) await this.changeAll(of, updateAllOf(of, rows))
  }

  /** Holds rows, and reads them with their hidden values, to be changed. Without those that are not there. */
  async lockWhole<F extends Fields>(
    of: Model<F>,
    ids: readonly string[],
    scope: readonly string[] = [],
  ): Promise<readonly Row<F>[]> {
    this.#mustLock(of)
    if (!ids.length) return []
    const below = of.scopeColumns.map((column, i) => ` AND ${column} = $${i + 3}`).join('')
    const text =
      `SELECT ${wholeColumns(of)} FROM ${of.table} WHERE store_id = $1 AND id = ANY($2::uuid[])${below} ` +
      'ORDER BY id FOR NO KEY UPDATE'
    for (;;) {
      const rows = await this.rowsOf(of, await this.run(text, ids, ...scope))
      if (rows) return rows
    }
  }

  /** Does what may be refused: then nothing of it is done, and the transaction goes on. */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    return keepUnlessFailed(this.#connection, work)
  }

  /** Runs `work` and undoes its writes: see `Work.rehearse`. Needs a transaction. */
  undo<T>(work: () => Promise<T>): Promise<T> {
    return undoAlways(this.#connection, work)
  }

  /** Stores all values of a row in place of the old ones; undefined when another write, or definition, came first. */
  async update<F extends Fields>(
    of: Model<F>,
    row: Row<F>,
    values: Values<F>,
    last = false,
  ): Promise<Row<F> | undefined> {
    const own = withAddedFields(of, row.added)
    const [doc, hidden] = split(own, values)
    const address = [this.id, row.id, ...row.scope]
    const binds = new Binds([...address, this.#time(of), doc, hidden, this.stamp, row.version])
    const { update, returning } = statementsOf(own)
    const text = `${update} AND ${definitionUnchanged(own, binds.bind)}${returning}`
    const [tuple] = await this.#write(of, { text, values: binds.values }, { last })
    return tuple && writtenRow(own, tuple)
  }

  /**
   * A new version of a row whose own values stay: something that is shown with it has changed. False when there is no
   * such row.
   */
  async touch(of: Model, id: string, scope: readonly string[] = []): Promise<boolean> {
    const values = [this.id, id, ...scope, this.#time(of), this.stamp]
    return (await this.#write(of, { text: statementsOf(of).touch, values })).length > 0
  }

  /** False when another write came first. */
  async remove(of: Model, row: Row, last = false): Promise<boolean> {
    const values = [this.id, row.id, ...row.scope, this.stamp, row.version]
    // What hangs on the row goes with it.
    const sql = { text: statementsOf(of).remove, values, long: true }
    return (await this.#write(of, sql, { last })).length > 0
  }

  /**
   * One writer at a time: from here to the end of the transaction nobody else changes, holds or deletes these rows.
   * Taken in the order of their ids, so that no two wait for each other. The ids of those that are there.
   */
  lock(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'NO KEY UPDATE')
  }

  /** As `lock`; nobody adds rows below them either. */
  lockExclusive(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'UPDATE')
  }

  /** Until the transaction ends nobody deletes these rows. Others may change them. */
  lockShared(of: Rows, ...ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#lock(of, ids, 'KEY SHARE')
  }

  /** Reads rows and locks them: see `lockShared`. */
  readAndLock(text: Select, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.run(`${text} FOR KEY SHARE`, ...values)
  }

  #mustLock({ table }: Rows): void {
    if (!this.inTransaction) throw new Error(`${table}: a lock has no effect outside a transaction`)
  }

  async #lock(of: Rows, ids: readonly string[], strength: string): Promise<ReadonlySet<string>> {
    this.#mustLock(of)
    const { table } = of
    const rows = await this.run(
      `SELECT id FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR ${strength}`,
      ids,
    )
    return new Set(rows.map(([id]) => id as string))
  }

  /** A lock by name, for what has no row: until the transaction ends nobody else takes it. */
  async advisoryLock(name: string): Promise<void> {
    await this.run('SELECT pg_advisory_xact_lock(hashtextextended($1::text || $2, 0))', name)
  }

  /** Inserts the rows of a query in one statement; what is there already stays as it is. The ids of the new ones. */
  insertFrom(into: Rows, batch: Batch): Promise<readonly string[]> {
    return this.#writeMany(into, insertFromSql(into, batch, this.#writer(into)))
  }

  /** Changes all rows that meet a condition, each to a new version, in one statement. Their ids. */
  changeAll(of: Rows, sweep: Sweep): Promise<readonly string[]> {
    return this.#writeMany(of, changeAllSql(of, sweep, this.#writer(of)))
  }

  /** A new version of all rows that meet a condition: something that is shown with them has changed. Their ids. */
  touchAll(of: Rows, where: Sweep['where']): Promise<readonly string[]> {
    return this.changeAll(of, { where })
  }

  /** Deletes all rows that meet a condition, and what hangs on them. Their ids. */
  removeAll(of: Rows, where: Sweep['where']): Promise<readonly string[]> {
    return this.#writeMany(of, removeAllSql(of, where, this.#writer(of)))
  }

  async #writeMany(of: Rows, sql: Sql): Promise<readonly string[]> {
    return (await this.#write(of, sql)).map(([id]) => id as string)
  }

  #writer(of: Rows): Writer {
    return { storeId: this.id, stamp: this.stamp, time: this.#time(of) }
  }

  /** Runs a statement. `$1` is this store's id, the values follow. */
  run(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#connection.run({ text, values: [this.id, ...values] })
  }

  /**
   * As `run`, for a read that is sure to be short and locks nothing: it shares the pipelined connection, also in a
   * transaction that has not begun.
   */
  read(text: Select, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#reader.run({ text, values: [this.id, ...values] })
  }

  /** A page of a list, whose first value is the store: this one's, whatever it was. */
  page(sql: Sql): Promise<readonly Tuple[]> {
    return (sql.page ? this.#reader : this.#connection).run({
      ...sql,
      values: [this.id, ...sql.values.slice(1)],
    })
  }

  /** As `run`, for a write that is sure to be short and waits for nobody: it too shares the pipelined connection. */
  write(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    const sql = { text, values: [this.id, ...values] }
    return this.#transaction ? this.#transaction.run(sql) : this.#source.quick(sql)
  }

  /** Runs a statement that may touch any number of rows, without the usual time limit. */
  runLong(text: string, ...values: readonly unknown[]): Promise<readonly Tuple[]> {
    return this.#connection.run({ text, values: [this.id, ...values], long: true })
  }

  /** Now, in whole seconds where no more is shown: what is shown is what is stored and compared. */
  #time({ envelope }: Rows): Date {
    const now = this.#now()
    return envelope?.digits === 0 ? new Date(Math.floor(now.getTime() / 1000) * 1000) : now
  }

  async #write(
    resource: Rows,
    sql: Sql,
    { last = false, type }: { readonly last?: boolean; readonly type?: string | undefined } = {},
  ): Promise<readonly Tuple[]> {
    try {
      return await (last && this.#transaction ? this.#transaction.last(sql) : this.#connection.run(sql))
    } catch (error) {
      throw refusalOf(resource, error, { type, deletes: sql.text.startsWith('DELETE') }) ?? error
    }
  }
}
