import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, vi } from 'vitest'
import { add } from '../../server/kernel/operations.ts'
import { pimJobs } from '../../server/pim-jobs/index.ts'
import { productImport } from '../../server/product-csv/product-import.ts'
import { stageRows } from '../../server/product-csv/staged-rows.ts'
import type { World } from '../support/world.ts'

export type Csv = ReturnType<typeof csvOf>

const ended = ['success', 'failed', 'cancelled']

/** Sends files, asks for others, and waits for what becomes of that. */
export function csvOf(world: World) {
  const send = (csv: string, { part = 'file', query = '' } = {}) =>
    world.admin.send('POST', `/pcm/products/import${query}`, {
      body: `--b\r\ncontent-disposition: form-data; name="${part}"; filename="p.csv"\r\n\r\n${csv}\r\n--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })

  /** The job when it has ended. */
  async function ending(id: string) {
    const path = `/pcm/jobs/${id}`
    const job = async () => (await world.admin.get(path)).body.data
    await vi.waitUntil(async () => ended.includes((await job()).attributes.status), {
      timeout: 30_000,
      interval: 20,
    })
    return job()
  }

  /** The job's status in the end, and what its errors say. */
  async function importFile(csv: string, query = ''): Promise<readonly string[]> {
    const { status, body } = await send(csv, { query })
    expect([status, body.data?.attributes.status]).toEqual([201, 'pending'])
    const { attributes } = await ending(body.data.id)
    const { data } = (await world.admin.get(`/pcm/jobs/${body.data.id}/errors?page[limit]=100`)).body
    const messages = data.map((error: { attributes: { message: string } }) => error.attributes.message)
    return [attributes.status, ...messages]
  }

  /** As `importFile`, but without the form and the queue: for many in a row. */
  async function importAtOnce(csv: string): Promise<readonly string[]> {
    const { work } = world
    const [importId, rows] = [randomUUID(), csv.split('\n').length - 1]
    const header = await stageRows(work, importId, Readable.from([csv]), async () => {})
    const facts = { type: 'product-import', status: 'pending', started_at: null, completed_at: null } as const
    const { id } = await add(work, pimJobs, [], { ...facts, request_id: 'at once' })
    await productImport.run(work, { jobId: id, payload: { importId, header, rows, locale: undefined } })
    const { rows: errors } = await world.sql(
      `SELECT doc->'attributes'->>'message' AS message FROM pim_job_errors WHERE job_id = $1 ORDER BY created_at, id`,
      [id],
    )
    return errors.map(({ message }) => message as string)
  }

  return { send, ending, importFile, importAtOnce }
}
