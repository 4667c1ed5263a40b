import type { FeedChange } from '../../kernel/feed/changes.ts'
import { isTemporary } from '../../kernel/storage/database.ts'
import { inRootSpan } from '../../kernel/traces/spans.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { SendOutcome, TargetMessage } from '../targets/message.ts'
import type { Network } from '../targets/network.ts'
import { send } from '../targets/send.ts'
import type { ClaimedJob } from './claim.ts'
import { aboutEndpoint, type Endpoint } from './endpoints.ts'
import type { MakeContent } from './event-contents.ts'
import type { DeliveryAttempt } from './record-attempts.ts'
import { delayAfterMs } from './schedule.ts'

const dropped = (job: ClaimedJob, reason: string): DeliveryAttempt => ({
  ...{ job, state: 'dropped', reason, dueAt: undefined, outcome: undefined },
})

/** Sends the event of a job once, and says what becomes of the job. Nothing is open in the database meanwhile. */
export async function deliver(
  work: Work,
  network: Network,
  job: ClaimedJob,
  change: FeedChange | undefined,
  endpoint: Endpoint | undefined,
  makeContent: MakeContent,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  if (!endpoint) return dropped(job, 'The integration was disabled or deleted.')
  // A server that was restored from a backup gives some positions to other changes.
  if (change?.source !== job.source || change.id !== job.subjectId)
    return dropped(job, 'The change is no longer in the feed: it is too old, or its data was erased.')
  const content = await makeContent(change).catch((error: unknown) => {
    if (isTemporary(error)) throw error
    work.instance.log.error({ err: error, job: job.id }, 'cannot make the message of an event')
    return 'failed' as const
  })
  if (!content) return dropped(job, 'There is nothing to send for this change.')
  if (content === 'failed') return attemptOf(work, job, unmade)
  const message: TargetMessage = {
    ...aboutEndpoint(work, endpoint),
    ...{
      eventId: job.eventId,
      key: job.key,
      subject: `${job.source}:${job.subjectId}`,
      attempt: job.attempt + 1,
    },
    content,
  }
  const outcome = await inRootSpan(`deliver ${job.key}`, spanOf(job, change, endpoint), () =>
    send(network, endpoint.target, message, { signal }),
  )
  return attemptOf(work, job, outcome)
}

/** Without the address, which may have a secret. */
const spanOf = (job: ClaimedJob, { requestId }: FeedChange, { target }: Endpoint) => ({
  kind: 'PRODUCER' as const,
  attributes: {
    ...{ 'messaging.system': target.type, 'sutler.event': job.key, 'sutler.event_id': job.eventId },
    ...{ 'sutler.store_id': job.storeId, 'sutler.integration_id': job.integrationId },
    'sutler.request_id': requestId,
  },
})

const unmade: SendOutcome = {
  ...{ succeeded: false, statusCode: 0, body: '', processingTimeS: 0, isSlow: false, isFinal: false },
  errorDetail: 'The server could not make the message. Its log says why.',
}

/** What becomes of a job after an attempt. */
function attemptOf({ clock }: Work, job: ClaimedJob, outcome: SendOutcome): DeliveryAttempt {
  const ended = { job, outcome, dueAt: undefined }
  if (outcome.succeeded) return { ...ended, state: 'succeeded', reason: undefined }
  const delayMs = outcome.isFinal ? undefined : delayAfterMs(job.attempt + 1, Math.random())
  if (delayMs === undefined) return { ...ended, state: 'dead', reason: outcome.errorDetail }
  const dueAt = new Date(clock.now().getTime() + delayMs)
  return { ...ended, state: 'waiting', reason: undefined, dueAt }
}
