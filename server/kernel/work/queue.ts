import type { Work } from './context.ts'
import type { Job, LongJob, Schedule } from './job.ts'

type StoreWork = Pick<Work, 'store' | 'instance'>

/** Queues a short job of the store. Inside a transaction the job is queued only if the transaction commits. */
export async function queue(
  { store, instance: { outbox } }: StoreWork,
  { name, attemptsMax }: Pick<Job, 'name' | 'attemptsMax'>,
  payload: unknown,
  { key, at }: Schedule = {},
): Promise<void> {
  const text = outbox
    ? inOutbox('false')
    : `SELECT graphile_worker.add_job($3, json_build_object('store', $1::uuid, 'by', $2::text, 'payload', $4::json),
       max_attempts => $5, job_key => $1 || ' ' || $6::text, run_at => $7::timestamptz)`
  const values = [store.author, name, JSON.stringify(payload), attemptsMax, key ?? null, at ?? null]
  outbox?.note(store.id)
  await store.onPrimary().run(text, ...values)
  if (!store.inTransaction) outbox?.wake(store.id)
}

/** The channel on which the database notifies workers of new long jobs. */
export const longJobsChannel = 'sutler_long_jobs'

/** Queues a long job of the store. Inside a transaction the job is queued only if the transaction commits. */
export async function queueLong(
  { store, instance: { outbox } }: StoreWork,
  { name }: Pick<LongJob, 'name'>,
  payload: unknown,
): Promise<void> {
  const values = [store.author, name, JSON.stringify(payload)]
  if (outbox) {
    outbox.note(store.id)
    await store.run(inOutbox('true'), ...values, null, null, null)
    if (!store.inTransaction) outbox.wake(store.id)
    return
  }
  await store.run(
    `WITH queued AS (
       INSERT INTO long_jobs (store_id, author, name, payload) VALUES ($1, $2, $3, $4) RETURNING id
     )
     SELECT pg_notify('${longJobsChannel}', '') FROM queued`,
    ...values,
  )
}

/** `move_jobs` puts it into the queue. */
const inOutbox = (
  isLong: string,
) => `INSERT INTO job_outbox (store_id, id, is_long, author, name, payload, attempts_max, key, run_at)
  SELECT s.id, next_change(s.id), ${isLong}, $2, $3, $4::json, $5::integer, $6::text, $7::timestamptz
  FROM stores s WHERE s.id = $1
  ON CONFLICT (store_id, key) DO UPDATE SET id = excluded.id, author = excluded.author, name = excluded.name,
    payload = excluded.payload, attempts_max = excluded.attempts_max, run_at = excluded.run_at`

/** Which of these keys have a short job of the store that waits or runs. */
export async function keysInUse(
  { store, instance: { outbox, database } }: StoreWork,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const inQueue = `SELECT k.key FROM unnest($2::text[]) k (key) WHERE EXISTS (
    SELECT FROM graphile_worker.jobs j WHERE j.key = $1::text || ' ' || k.key AND j.attempts < j.max_attempts)`
  if (!outbox) return setOf(await store.run(inQueue, keys))
  // A job that moves meanwhile is in both.
  const waiting = await store.run('SELECT key FROM job_outbox WHERE store_id = $1 AND key = ANY($2)', keys)
  return setOf([...waiting, ...(await database.quick({ text: inQueue, values: [store.id, keys] }))])
}

const setOf = (rows: readonly (readonly (string | null)[])[]): ReadonlySet<string> =>
  new Set(rows.map(([key]) => key as string))
