import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../kernel/ids.ts'
import { isTemporary } from '../../kernel/storage/database.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { pauseIntegration } from '../integrations/integrations.ts'
import type { SendOutcome } from '../targets/message.ts'
import type { ClaimedJob } from './claim.ts'
import type { JobState } from './integration-jobs.ts'
import { pauseAfter } from './schedule.ts'
import { workOfDeliveries } from './work-of-deliveries.ts'

/** What became of one claimed job. */
export interface DeliveryAttempt {
  readonly job: ClaimedJob
  readonly state: JobState
  /** When the next attempt begins, if there is one. */
  readonly dueAt: Date | undefined
  readonly reason: string | undefined
  /** Undefined if nothing was sent. */
  readonly outcome: SendOutcome | undefined
}

/** Records attempts of one store, with their logs, in one transaction. Pauses integrations that fail for too long. */
async function recordAttempts(
  instance: Instance,
  storeId: string,
  attempts: readonly DeliveryAttempt[],
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

const endOf = ({ job, state, dueAt, reason, outcome }: DeliveryAttempt) => ({
  ...{ id: job.id, lease: job.lease, state, reason: reason ?? null, due_at: dueAt?.toISOString() ?? null },
  attempt: job.attempt + (outcome ? 1 : 0),
})

const logOf = (job: ClaimedJob, outcome: SendOutcome) => ({
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

/** Attempts in one transaction. */
const batchMax = 100
const retryMs = 1_000

/** Records attempts behind each other, many in one transaction: a commit per attempt would be most of its cost. */
export class AttemptRecorder {
  readonly #instance: Instance
  readonly #onRecorded: (attempts: readonly DeliveryAttempt[]) => void
  #waiting: DeliveryAttempt[] = []
  #recording: Promise<void> | undefined

  constructor(instance: Instance, onRecorded: (attempts: readonly DeliveryAttempt[]) => void) {
    this.#instance = instance
    this.#onRecorded = onRecorded
  }

  add(attempt: DeliveryAttempt): void {
    this.#waiting.push(attempt)
    this.#recording ??= this.#record().finally(() => {
      this.#recording = undefined
    })
  }

  /** Resolves when all attempts are recorded. */
  async idle(): Promise<void> {
    while (this.#recording) await this.#recording
  }

  async #record(): Promise<void> {
    while (this.#waiting.length) {
      const storeId = this.#waiting[0]?.job.storeId as string
      const batch = this.#waiting.filter(({ job }) => job.storeId === storeId).slice(0, batchMax)
      const taken = new Set(batch)
      this.#waiting = this.#waiting.filter((attempt) => !taken.has(attempt))
      await this.#recordBatch(storeId, batch)
      this.#onRecorded(batch)
    }
  }

  /** One attempt that cannot be recorded must not make the server send the others again. */
  async #recordEach(storeId: string, batch: readonly DeliveryAttempt[]): Promise<void> {
    for (const attempt of batch) await this.#recordBatch(storeId, [attempt])
  }

  /** Waits for a database that is away. If that takes longer than the leases, another process sends the jobs again. */
  async #recordBatch(storeId: string, batch: readonly DeliveryAttempt[]): Promise<void> {
    for (;;) {
      try {
        return await recordAttempts(this.#instance, storeId, batch)
      } catch (error) {
        if (isTemporary(error)) await sleep(retryMs)
        else if (batch.length > 1) return await this.#recordEach(storeId, batch)
        else {
          this.#instance.log.error({ err: error }, 'cannot record an attempt of an integration')
          return
        }
      }
    }
  }
}
