import { storeExport, toCsvLine } from '../exports/index.ts'
import { documentedJob } from '../jobs/index.ts'
import { Problem } from '../kernel/errors.ts'
import { condition } from '../kernel/query/condition.ts'
import { findById } from '../kernel/query/find.ts'
import { parse } from '../kernel/query/parse.ts'
import { type PlannedFilter, plan } from '../kernel/query/plan.ts'
import { Binds } from '../kernel/storage/binds.ts'
import { rowColumns } from '../kernel/storage/stored-row.ts'
import type { Work } from '../kernel/work/context.ts'
import { orders } from '../orders/index.ts'
import { type JobDetails, type OrderJobFields, orderJobDocument, orderJobs } from './order-jobs.ts'
import { columns, lineOf } from './order-line.ts'

/** How many orders are in memory at a time. */
const perRead = 500

interface Payload {
  readonly jobId: string
}

/** The plan of a filter as the list of orders takes it; a Problem (400) for any other text. */
export function planFilter(filter: string | undefined): PlannedFilter | undefined {
  return filter ? plan(parse(`filter=${encodeURIComponent(filter)}`), orders).filter : undefined
}

/** Writes the orders that match the filter of a job to a CSV file. */
export const exportOrders = documentedJob<Payload, OrderJobFields, number, string, JobDetails>({
  name: 'order-exports:export-orders',
  document: orderJobDocument,
  placeOf: ({ jobId }) => ({ id: jobId }),
  async prepare(work, { jobId }) {
    const { doc } = await findById(work, orderJobs, jobId, [])
    return storeExport(work, writeOrders(work, planFilter(doc.filter)))
  },
  run: async (_work, _payload, _state, fileId) => ({ details: { file_id: fileId } }),
})

const first = '00000000-0000-0000-0000-000000000000'

async function* writeOrders({ store }: Work, filter: PlannedFilter | undefined): AsyncGenerator<Uint8Array> {
  yield Buffer.from(toCsvLine(columns))
  for (let last = first; ; ) {
    const binds = new Binds([store.id, last])
    const where = filter ? ` AND ${condition(filter, binds)}` : ''
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
