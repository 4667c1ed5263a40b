import { newId } from '../../../server/kernel/ids.ts'
import type { Work } from '../../../server/kernel/work/context.ts'

/** Inserts a job of an event, as the engine does. It is not due yet: nobody is to send it. */
export async function insertJob({ store, clock }: Work, integrationId: string, key = 'order.paid') {
  const [id, now] = [newId(), clock.now()]
  await store.run(
    `INSERT INTO integration_jobs (store_id, id, created_at, updated_at, integration_id, event_id, key, source,
       subject_id, position, due_at)
     VALUES ($1, $2, $3, $3, $4, $5, $6, 'orders', $7, 1, $3::timestamptz + interval '1 hour')`,
    ...[id, now, integrationId, newId(), key, newId()],
  )
  return { id }
}

/** Inserts the log of an attempt. */
export async function insertLog({ store, clock }: Work, integrationId: string, jobId: string, attempt = 1) {
  const [id, now] = [newId(), clock.now()]
  const doc = {
    ...{
      succeeded: true,
      attempt,
      body: 'thanks',
      status_code: 200,
      error_detail: '',
      processing_time: 0.25,
    },
    relationships: {
      integration: { data: { type: 'integration', id: integrationId } },
      job: { data: { type: 'integration-job', id: jobId } },
    },
  }
  await store.run(
    `INSERT INTO integration_logs (store_id, id, created_at, updated_at, doc, integration_id, job_id)
     VALUES ($1, $2, $3, $3, $4, $5, $6)`,
    ...[id, now, JSON.stringify(doc), integrationId, jobId],
  )
  return { id }
}
