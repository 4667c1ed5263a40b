import type { Store } from '../storage/store.ts'
import type { Job, LongJob, Schedule } from './job.ts'

/** Queues a short job of the store. Inside a transaction the job is queued only if the transaction commits. */
export async function queue(
  store: Store,
  { name, attemptsMax }: Pick<Job, 'name' | 'attemptsMax'>,
  payload: unknown,
  { key, at }: Schedule = {},
): Promise<void> {
  await store.onPrimary().run(
    `SELECT graphile_worker.add_job($3, json_build_object('store', $1::uuid, 'by', $2::text, 'payload', $4::json),
       max_attempts => $5, job_key => $1 || ' ' || $6::text, run_at => $7::timestamptz)`,
    store.author,
    name,
    JSON.stringify(payload),
    attemptsMax,
    key ?? null,
    at ?? null,
  )
}

/** The channel on which the database notifies workers of new long jobs. */
export const longJobsChannel = 'sutler_long_jobs'

/** Queues a long job of the store. Inside a transaction the job is queued only if the transaction commits. */
export async function queueLong(
  store: Store,
  { name }: Pick<LongJob, 'name'>,
  payload: unknown,
): Promise<void> {
  await store.run(
    `WITH queued AS (
       INSERT INTO long_jobs (store_id, name, author, payload) VALUES ($1, $2, $3, $4) RETURNING id
     )
     SELECT pg_notify('${longJobsChannel}', '') FROM queued`,
    name,
    store.author,
    JSON.stringify(payload),
  )
}
