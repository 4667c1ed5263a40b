import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import type { Client } from '../../support/world.ts'

/** The job of an export, when it has ended. */
export async function runExport(client: Client, filter?: string): Promise<Any> {
  const { status, body } = await client.post('/v2/jobs', {
    data: { type: 'job', job_type: 'order_export', ...(filter && { filter }) },
  })
  expect([status, body.data.status]).toEqual([202, 'PENDING'])
  return until(async () => {
    const { data } = (await client.get(`/v2/jobs/${body.data.id}`)).body
    return /SUCCESS|FAILED/.test(data.status) ? data : undefined
  })
}

/** Where the file of a job is. */
export async function fileUrlOf(client: Client, job: Any): Promise<string> {
  return (await client.get(`/v2/jobs/${job.id}/file`)).body.data.href
}

export async function linesOf(client: Client, job: Any): Promise<Any[]> {
  const file = await fetch(await fileUrlOf(client, job))
  expect(file.status).toBe(200)
  return parse(await file.text(), { columns: true })
}
