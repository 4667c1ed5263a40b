import { Problem } from '../../kernel/errors.ts'
import { toCsvLine } from '../../kernel/http/csv-line.ts'
import { filterOfBody } from '../../kernel/query/filter-of-body.ts'
import { findById } from '../../kernel/query/find.ts'
import { Binds } from '../../kernel/storage/binds.ts'
import { rowColumns } from '../../kernel/storage/stored-row.ts'
import type { Work } from '../../kernel/work/context.ts'
import { documentedJob, storeExport } from '../../store/index.ts'
import { orders } from '../order/orders.ts'
import { type JobDetails, type OrderJobFields, orderJobDocument, orderJobs } from './order-jobs.ts'
import { columns, lineOf } from './order-line.ts'

/** How many orders are in memory at a time. */
const perRead = 500

interface Payload {
  readonly jobId: string
}

/** The orders that a job exports; a Problem (400) if the list of orders does not take the filter. */
export const ordersToExport = (filter = '') => filterOfBody(orders, filter)

/** Writes the orders that match the filter of a job to a CSV file. */
export const exportOrders = documentedJob<Payload, OrderJobFields, number, string, JobDetails>({
  name: 'order-exports:export-orders',
  document: orderJobDocument,
  placeOf: ({ jobId }) => ({ id: jobId }),
  async prepare(work, { jobId }) {
    const { doc } = await findById(work, orderJobs, jobId, [])
    return storeExport(work, writeOrders(work, ordersToExport(doc.filter)))
  },
  run: async (_work, _payload, _state, fileId) => ({ details: { file_id: fileId } }),
})

const first = '00000000-0000-0000-0000-000000000000'

async function* writeOrders(
  { store }: Work,
  matches: ReturnType<typeof ordersToExport>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(toCsvLine(columns))
  for (let last = first; ; ) {
    const binds = new Binds([store.id, last])
    const where = matches ? ` AND ${matches(binds.bind)}` : ''
    const text = `SELECT ${rowColumns(orders)} FROM orders WHERE store_id = $1 AND id > $2${where} ORDER BY id LIMIT ${perRead}`
    const rows = await store.rowsOf(orders, await store.run(text, ...binds.values.slice(1)))
    if (!rows) continue
    if (!rows.length && last === first) {
      throw new Problem('unprocessable', 'No results matched the supplied filter')
    }
    yield Buffer.from(rows.map((row) => toCsvLine(lineOf(row))).join(''))
    if (rows.length < perRead) return
    last = rows.at(-1)?.id ?? last
  }
}
