import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { expect, vi } from 'vitest'
import { parseHeader } from '../../../server/assortment/product-csv/columns.ts'
import { parseColumns } from '../../../server/assortment/product-csv/export-columns.ts'
import { productExportOf } from '../../../server/assortment/product-csv/product-export.ts'
import { productImport } from '../../../server/assortment/product-csv/product-import.ts'
import { countStaged, stageRows } from '../../../server/assortment/product-csv/staged-rows.ts'
import { findTemplates } from '../../../server/fields/index.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { pimJobs } from '../../../server/store/index.ts'
import type { World } from '../../support/world.ts'

export type Csv = ReturnType<typeof csvOf>

const ended = ['success', 'failed', 'cancelled']

/** Sends files, asks for others, and waits for what becomes of that. */
export function csvOf(world: World) {
  const send = (csv: string | Buffer, { part = 'file', query = '' } = {}) =>
    world.admin.send('POST', `/pcm/products/import${query}`, {
      body: Buffer.concat([
        Buffer.from(`--b\r\ncontent-disposition: form-data; name="${part}"; filename="p.csv"\r\n\r\n`),
        Buffer.from(csv as Buffer),
        Buffer.from('\r\n--b--\r\n'),
      ]),
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
  async function importFile(csv: string | Buffer, query = ''): Promise<readonly string[]> {
    const { status, body } = await send(csv, { query })
    expect([status, body.data?.attributes.status]).toEqual([201, 'pending'])
    const { attributes } = await ending(body.data.id)
    const { data } = (await world.admin.get(`/pcm/jobs/${body.data.id}/errors?page[limit]=100`)).body
    const messages = data.map((error: { attributes: { message: string } }) => error.attributes.message)
    return [attributes.status, ...messages]
  }

  /** A job that no queue knows of. */
  async function newJob(type: 'product-import' | 'product-export'): Promise<string> {
    const facts = { type, status: 'pending', started_at: null, completed_at: null } as const
    return (await add(world.work, pimJobs, [], { ...facts, request_id: 'at once' })).id
  }

  /** A file that is staged, and a job for it that no queue knows of. */
  async function stage(csv: string) {
    const { work } = world
    const importId = randomUUID()
    const header = await stageRows(work, importId, Readable.from([Buffer.from(csv)]), async (names) =>
      parseHeader(names),
    )
    const rows = await countStaged(work, importId)
    const id = await newJob('product-import')
    return { jobId: id, payload: { importId, header, rows, locale: undefined } }
  }

  /** What the errors of a job say. */
  async function errorsOf(id: string): Promise<readonly string[]> {
    const { rows: errors } = await world.sql(
      `SELECT doc->'attributes'->>'message' AS message FROM pim_job_errors WHERE job_id = $1 ORDER BY created_at, id`,
      [id],
    )
    return errors.map(({ message }) => message as string)
  }

  /** As `importFile`, but without the form and the queue: for many in a row. */
  async function importAtOnce(csv: string, job = productImport): Promise<readonly string[]> {
    const payload = await stage(csv)
    await job.run(world.work, payload)
    return errorsOf(payload.jobId)
  }

  /** The links to an export's files. */
  async function exportFile(query = '', body?: object): Promise<readonly string[]> {
    const { status, body: answer } = await world.admin.post(`/pcm/products/export${query}`, body)
    expect([status, answer.data?.attributes, answer.data?.meta.file_locations]).toEqual([
      201,
      expect.objectContaining({ type: 'product-export', status: 'pending' }),
      null,
    ])
    const { attributes, meta } = await ending(answer.data.id)
    expect(attributes.status).toBe('success')
    return meta.file_locations
  }

  /** What a file says: the header, and the rows. */
  async function read(link: string): Promise<readonly (readonly string[])[]> {
    const reply = await fetch(link)
    expect(reply.status).toBe(200)
    return parse(await reply.text())
  }

  /** As `exportFile`, but without the queue: with other limits, and as often as there are workers. */
  async function exportAtOnce({ rows = 10_000, bytes = 1e6, workers = 1 } = {}): Promise<readonly string[]> {
    const id = await newJob('product-export')
    const columns = parseColumns({
      include: undefined,
      templates: await findTemplates(world.work),
      useTemplateSlugs: true,
    })
    const payload = { jobId: id, payload: { columns, filter: '', baseUrl: world.url } }
    const job = productExportOf(rows, bytes)
    await Promise.all(Array.from({ length: workers }, () => job.run(world.work, payload)))
    const { meta } = (await world.admin.get(`/pcm/jobs/${id}`)).body.data
    return meta.file_locations
  }

  return { send, ending, stage, errorsOf, importFile, importAtOnce, exportFile, exportAtOnce, read }
}
