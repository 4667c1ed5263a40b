import type { FeedChange } from '../../kernel/feed/changes.ts'
import type { Work } from '../../kernel/work/context.ts'
import { queueData, webhookPayload, withoutIncluded } from '../events/payload.ts'
import { payloadOf } from '../events/payload-of.ts'
import { EventContent } from '../targets/message.ts'
import type { ClaimedJob } from './claim.ts'

/** Makes what the event of a change shows. Undefined where nobody is to be told. */
export type MakeContent = (change: FeedChange) => Promise<EventContent | undefined>

/**
 * What events show. It is made once while messages of the event are under way: a large one takes a tenth of a second,
 * and the integrations of a store may all be sent the same.
 */
export class EventContents {
  readonly #underWay = new Map<
    string,
    { content: Promise<EventContent | undefined> | undefined; messages: number }
  >()

  /** Returns what makes it for the message of a job. Call `end` when the message is no longer under way. */
  begin(work: Work, job: ClaimedJob): MakeContent {
    const event = this.#underWay.get(job.eventId) ?? { content: undefined, messages: 0 }
    event.messages += 1
    this.#underWay.set(job.eventId, event)
    return (change) => (event.content ??= contentOf(work, change, job))
  }

  end({ eventId }: ClaimedJob): void {
    const event = this.#underWay.get(eventId)
    if (event && --event.messages === 0) this.#underWay.delete(eventId)
  }

  /** How many events are remembered. */
  get size(): number {
    return this.#underWay.size
  }
}

async function contentOf(work: Work, change: FeedChange, job: ClaimedJob): Promise<EventContent | undefined> {
  const payload = await payloadOf(work, change, job)
  if (!payload) return undefined
  const data = { whole: queueData(payload), short: queueData(withoutIncluded(payload)) }
  return new EventContent(webhookPayload(payload), data, job.key.endsWith('.deleted'))
}
