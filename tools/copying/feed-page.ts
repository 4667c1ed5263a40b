import { isObject } from '../../server/kernel/body/input.ts'
import { isPlainId, type Json, type RemoteAnswer, UnreadableAnswer } from './read-answer.ts'

/** What a copy needs to know of a change. */
export interface ObjectChange {
  readonly event: string
  readonly object: { readonly type: string; readonly id: string; readonly parent: string | null }
}

interface FeedPage {
  /** All changes up to this position are on this page, or on one before. */
  readonly reached: number
  readonly last: number
  readonly changes: readonly ObjectChange[]
}

/** A page of the feed after a position. It must lead on, or to the end. */
export function feedPageOf({ body }: RemoteAnswer, after: number): FeedPage {
  const { reached, last } = body?.meta?.feed ?? {}
  const changes: Json = body?.data
  if (!Number.isSafeInteger(reached) || !Number.isSafeInteger(last) || !Array.isArray(changes))
    throw new UnreadableAnswer('the feed has a page without changes or positions')
  if (reached < after || (reached === after && last > reached))
    throw new UnreadableAnswer(`the feed does not lead on from position ${after}`)
  const odd = changes.find((one) => !isChange(one))
  if (odd !== undefined) throw new UnreadableAnswer(`the feed has an odd change after position ${after}`)
  return { reached, last, changes }
}

const isChange = (value: unknown): value is ObjectChange =>
  isObject(value) &&
  typeof value.event === 'string' &&
  isObject(value.object) &&
  typeof value.object.type === 'string' &&
  isPlainId(value.object.id) &&
  (value.object.parent == null || isPlainId(value.object.parent))
