import { newId } from '../ids.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Model } from '../shape/model.ts'
import { binaryArray } from './binary-arrays.ts'
import { Binds } from './binds.ts'
import type { Connection, Sql, Tuple } from './database.ts'
import { recordedBy } from './row-statements.ts'
import type { RowSink } from './row-tap.ts'
import { split } from './stored-row.ts'

/** Statements that write any number of rows, and return their ids; and reads of any number, in batches. */

type BoundValues = (bind: Binds['bind']) => string
type Table = Pick<Model, 'table'>

/** The store of the rows, their author, and the time. */
export interface Writer {
  readonly storeId: string
  readonly stamp: string
  readonly time: Date
}

/** A row to insert, with its own id if the client chose one. */
export interface NewRow<F extends Fields> {
  readonly id?: string
  readonly scope?: readonly string[]
  readonly values: Values<F>
}

/** A new row whose object may be older. */
export interface DatedRow<F extends Fields> extends NewRow<F> {
  /** An ISO timestamp, in the past. By default, the time of the write. */
  readonly createdAt?: string | undefined
}

/** The new values of a row. */
export interface ChangedRow<F extends Fields> {
  readonly id: string
  readonly scope?: readonly string[]
  readonly values: Values<F>
}

/** The rows `r` that a statement changes, and the new values. */
export interface Sweep {
  readonly where: BoundValues
  /**
   * The new shown and hidden values; without one the row keeps its value. Functions of columns must be immutable, which
   * `json_build_object` and `to_char` are not: Citus refuses others.
   */
  readonly doc?: BoundValues
  readonly hidden?: BoundValues
  /** Further items of FROM, as a source of the new values. */
  readonly from?: BoundValues
}

/** New rows from a query. */
export interface Batch {
  /** The columns of the query, including `id`. */
  readonly columns: readonly string[]
  readonly rows: BoundValues
  /** A table of the query whose rows must not change until the transaction ends, since the new rows depend on them. */
  readonly unchanged?: string
}

const bindsOf = ({ storeId, stamp, time }: Writer) => new Binds([storeId, stamp, time])

const long = (text: string, { values }: Binds): Sql => ({ text, values, long: true })

/** `selection` are the values of the columns. The row of the store says where they are stored. */
const insertInto = (table: string, columns: string, selection: string, from: string) =>
  `INSERT INTO ${table} (store_id, created_at, updated_at, ${columns})
  SELECT s.id, $3::timestamptz, $3::timestamptz, ${selection} FROM stores s, ${from}
  WHERE s.id = $1::uuid AND recorded(s.id, $2)`

export function insertAllSql<F extends Fields>(into: Model<F>, rows: readonly NewRow<F>[], by: Writer): Sql {
  const binds = bindsOf(by)
  const documents = rows.map(({ values }) => split(into, values))
  const input: readonly (readonly [column: string, type: string, array: Buffer])[] = [
    [
      'id',
      'uuid',
      binaryArray(
        'uuid',
        rows.map(({ id }) => id ?? newId()),
      ),
    ],
    ...into.scopeColumns.map((column, i) => {
      const scopes = rows.map(({ scope }) => scope?.[i])
      return [column, 'uuid', binaryArray('uuid', scopes)] as const
    }),
    [
      'doc',
      'json',
      binaryArray(
        'json',
        documents.map(([doc]) => doc),
      ),
    ],
    [
      'hidden',
      'json',
      binaryArray(
        'json',
        documents.map(([, hidden]) => hidden),
      ),
    ],
  ]
  const columns = input.map(([column]) => column).join(', ')
  const arrays = input.map(([, type, array]) => `${binds.bind(array)}::${type}[]`).join(', ')
  const selection = input.map(([column]) => `input.${column}`).join(', ')
  const from = `unnest(${arrays}) AS input (${columns})`
  return long(`${insertInto(into.table, columns, selection, from)} RETURNING id`, binds)
}

export function insertFromSql({ table }: Table, { columns, rows, unchanged }: Batch, by: Writer): Sql {
  const binds = bindsOf(by)
  const names = columns.join(', ')
  const selection = columns.map((name) => `source.${name}`).join(', ')
  const locked = unchanged ? ` FOR SHARE OF ${unchanged}` : ''
  const from = `(${rows(binds.bind)}${locked}) source (${names})`
  return long(`${insertInto(table, names, selection, from)} ON CONFLICT DO NOTHING RETURNING id`, binds)
}

export function changeAllSql({ table }: Table, { where, doc, hidden, from }: Sweep, by: Writer): Sql {
  const binds = bindsOf(by)
  const sets = Object.entries({ doc, hidden }).map(([column, sql]) =>
    sql ? `, ${column} = ${sql(binds.bind)}` : '',
  )
  const more = from ? ` FROM ${from(binds.bind)}` : ''
  return long(
    `UPDATE ${table} r SET version = r.version + 1, updated_at = fenced(r.updated_at, $3)${sets.join('')}${more}
    WHERE r.store_id = $1 AND ${where(binds.bind)} AND ${recordedBy(2, 'r.')} RETURNING r.id`,
    binds,
  )
}

export function removeAllSql({ table }: Table, where: BoundValues, { storeId, stamp }: Writer): Sql {
  const binds = new Binds([storeId, stamp])
  return long(
    `DELETE FROM ${table} r WHERE r.store_id = $1 AND ${where(binds.bind)} AND ${recordedBy(2, 'r.')} RETURNING r.id`,
    binds,
  )
}

/** The sweep that stores new values in rows. */
export function updateAllOf<F extends Fields>(of: Model<F>, rows: readonly ChangedRow<F>[]): Sweep {
  const documents = rows.map(({ values }) => split(of, values))
  const address = ['id', ...of.scopeColumns]
  return {
    where: () => address.map((column) => `r.${column} = input.${column}`).join(' AND '),
    from: (bind) => {
      const at = rows.map(({ id, scope = [] }) => [id, ...scope])
      const addresses = address.map(
        (_, i) =>
          `${bind(
            binaryArray(
              'uuid',
              at.map((one) => one[i]),
            ),
          )}::uuid[]`,
      )
      const values = [0, 1].map(
        (i) =>
          `${bind(
            binaryArray(
              'json',
              documents.map((both) => both[i]),
            ),
          )}::json[]`,
      )
      return `unnest(${[...addresses, ...values].join(', ')}) AS input (${address.join(', ')}, doc, hidden)`
    },
    doc: () => 'input.doc',
    hidden: () => 'input.hidden',
  }
}

/** How much one read should return, and the most rows: more would only take memory. */
const batch = { bytesMax: 524_288, firstRows: 100, rowsMax: 5000 }

/** Opens the only cursor of a transaction; the returned function fetches the next rows. */
async function openCursor(transaction: Connection, { text, values }: Sql) {
  const run = (text: string, values: readonly unknown[] = [], sink?: RowSink) =>
    transaction.run({ text, values, once: true, long: true, ...(sink && { sink }) })
  await run(`DECLARE every_row NO SCROLL CURSOR FOR ${text}`, values)
  return (count: number, sink?: RowSink) => {
    const rows = run(`FETCH ${count} FROM every_row`, [], sink)
    // The caller may give up before it needs them.
    rows.catch(() => {})
    return rows
  }
}

const nextCount = (rows: number, bytes: number): number =>
  Math.min(batch.rowsMax, Math.max(1, Math.floor((batch.bytesMax * rows) / Math.max(1, bytes))))

/**
 * The rows of a statement, in batches, in a transaction without another cursor. The next batch is on its way while the
 * caller works on one.
 */
export async function* readInBatches(transaction: Connection, sql: Sql): AsyncGenerator<readonly Tuple[]> {
  const fetch = await openCursor(transaction, sql)
  for (let next = fetch(batch.firstRows); ; ) {
    const tuples = await next
    if (!tuples.length) return
    const chars = tuples.reduce((sum, tuple) => sum + charsIn(tuple), 0)
    next = fetch(nextCount(tuples.length, chars))
    yield tuples
  }
}

const charsIn = (tuple: Tuple): number => tuple.reduce((sum, text) => sum + (text?.length ?? 0), 0)

/** As `readInBatches`, but `sink` gets the bytes of each row; yields after each batch. */
export async function* readBytesInBatches(
  transaction: Connection,
  sql: Sql,
  sink: RowSink,
): AsyncGenerator<void> {
  let [rows, size] = [0, 0]
  const count: RowSink = (bytes, start, end) => {
    rows += 1
    size += end - start
    sink(bytes, start, end)
  }
  const fetch = await openCursor(transaction, sql)
  for (let next = fetch(batch.firstRows, count); ; ) {
    await next
    if (!rows) return
    next = fetch(nextCount(rows, size), count)
    rows = 0
    size = 0
    yield
  }
}
