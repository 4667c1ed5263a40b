import type { Connection, Sql, Tuple } from './database.ts'
import type { RowSink } from './row-tap.ts'

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
