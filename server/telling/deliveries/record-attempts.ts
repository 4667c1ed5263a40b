import { newId } from '../../kernel/ids.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { pauseIntegration } from '../integrations/pause-integration.ts'
import type { Outcome } from '../targets/message.ts'
import type { JobState } from './integration-jobs.ts'
import type { ClaimedJob } from './job.ts'
import { pauseAfter } from './schedule.ts'
import { workOfDeliveries } from './work-of-deliveries.ts'

/** What became of one claimed job. */
export interface Attempt {
  readonly job: ClaimedJob
  readonly state: JobState
  /** When the next attempt begins, if there is one. */
  readonly dueAt: Date | undefined
  readonly reason: string | undefined
  /** Undefined if nothing was sent. */
  readonly outcome: Outcome | undefined
}

/** Records attempts of one store, with their logs, in one transaction. Pauses integrations that fail for too long. */
export async function recordAttempts(
  instance: Instance,
  storeId: string,
  attempts: readonly Attempt[],
): Promise<void> {
  const work = workOfDeliveries(instance, storeId)
  const now = instance.clock.now()
  const failing = await work.store.transaction(async (store) => {
    const logs = attempts.flatMap((attempt) => (attempt.outcome ? [logOf(attempt.job, attempt.outcome)] : []))
    if (logs.length) await store.run('SELECT record_deliveries($1, $2, $3)', JSON.stringify(logs), now)
    const ends = attempts.map(endOf)
    const since = new Date(now.getTime() - pauseAfter.failingMs)
    const rows = await store.run(endSql, JSON.stringify(ends), now, pauseAfter.dead, since)
    return rows.flatMap(([id]) => id ?? [])
  })
  for (const id of failing) await pause(instance, storeId, id)
}

const endSql = 'SELECT failing FROM end_deliveries($1, $2, $3, $4, $5) AS failing WHERE failing IS NOT NULL'

const endOf = ({ job, state, dueAt, reason, outcome }: Attempt) => ({
  ...{ id: job.id, lease: job.lease, state, reason: reason ?? null, due_at: dueAt?.toISOString() ?? null },
  attempt: job.attempt + (outcome ? 1 : 0),
})

const logOf = (job: ClaimedJob, outcome: Outcome) => ({
  ...{ id: newId(), integration_id: job.integrationId, job_id: job.id },
  doc: {
    succeeded: outcome.succeeded,
    attempt: job.attempt + 1,
    body: outcome.body,
    status_code: outcome.statusCode,
    error_detail: outcome.errorDetail,
    processing_time: outcome.processingTimeS,
    relationships: {
      integration: { data: { type: 'integration', id: job.integrationId } },
      job: { data: { type: 'integration-job', id: job.id } },
    },
  },
})

/** Disables it, unless a client has done so already, or deleted it. */
async function pause(instance: Instance, storeId: string, id: string): Promise<void> {
  const work = workOfDeliveries(instance, storeId)
  await work.transaction(async (inside) => {
    const [row] = await inside.store.run(
      'DELETE FROM integration_failures WHERE store_id = $1 AND integration_id = $2 RETURNING dead',
      id,
    )
    const [enabled] = await inside.store.run(
      'SELECT 1 FROM integrations WHERE store_id = $1 AND id = $2 AND enabled',
      id,
    )
    if (!row || !enabled) return
    const why =
      Number(row[0]) >= pauseAfter.dead
        ? `${pauseAfter.dead} events in a row could not be delivered.`
        : 'For a day, no event could be delivered.'
    await pauseIntegration(inside, id, why)
  })
  instance.onWrite(storeId)
}
