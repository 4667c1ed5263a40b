import { Readable } from 'node:stream'
import type { Change } from '../kernel/feed/changes.ts'
import type { ChangeFilter } from '../kernel/feed/look-for-changes.ts'
import { file } from '../kernel/http/file.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { changeText } from './change-text.ts'
import { nextChanges, refuseOutside } from './follow.ts'
import { takePlace } from './waiting.ts'

export const eventStream = 'text/event-stream'

/** Proxies and clients close connections on which nothing arrives. */
const silenceMaxMs = 15_000
/** Clients connect again by themselves, with a token that is still valid. */
const streamMaxMs = 600_000
const atOnce = 50

interface Following {
  readonly after: number
  readonly filter: ChangeFilter
  readonly hungUp: AbortSignal
  onShown(changes: readonly Change[]): void
}

/**
 * Changes as server-sent events, from a position on. The id of an event is its position, so a client that connects
 * again goes on from there. A stream that waits holds no connection of the database.
 */
export async function streamChanges(ctx: Ctx, following: Following): Promise<Answer> {
  refuseOutside(await nextChanges(ctx, following.after, {}, 0), following.after, 'Last-Event-ID')
  const leave = takePlace(ctx.instance, ctx.store.id)
  const stream = Readable.from(events(ctx, following), { highWaterMark: 1 })
  // Also if nobody begins to read it.
  stream.once('close', leave)
  return file(stream, eventStream, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
}

async function* events(ctx: Ctx, { after, filter, hungUp, onShown }: Following): AsyncGenerator<string> {
  const { feed } = ctx.instance
  const endsAtMs = performance.now() + streamMaxMs
  let position = after
  // An event without data: the client learns a position from which to go on.
  yield `retry: 1000\nid: ${position}\n\n`
  while (!hungUp.aborted && !feed.isStopped && performance.now() < endsAtMs) {
    const found = await nextChanges(ctx, position, filter, atOnce)
    const { changes, reached } = found
    refuseOutside(found, position, 'Last-Event-ID')
    if (changes.length > 0) {
      onShown(changes)
      yield changes.map((change) => `id: ${change.position}\ndata: ${changeText(change)}\n\n`).join('')
    }
    const isBehind = reached > position
    position = reached
    if (isBehind) continue
    const silence = AbortSignal.timeout(silenceMaxMs)
    await feed.past(ctx.store.id, position, AbortSignal.any([hungUp, silence]))
    if (silence.aborted) yield `id: ${position}\n\n`
  }
}
