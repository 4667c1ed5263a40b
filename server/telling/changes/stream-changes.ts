import { Readable } from 'node:stream'
import type { FeedChange } from '../../kernel/feed/changes.ts'
import type { ChangeFilter } from '../../kernel/feed/look-for-changes.ts'
import { file } from '../../kernel/http/file.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { Unavailable } from '../../platform/faults.ts'
import { changeText } from './change-text.ts'
import { nextChanges, refuseOutside } from './follow.ts'
import { followOn } from './tail.ts'
import { takePlace } from './waiting.ts'

export const eventStream = 'text/event-stream'

export const usualPace = {
  /** Proxies and clients close connections on which nothing arrives. */
  silenceMaxMs: 15_000,
  /** Clients connect again by themselves, with a token that is still valid. */
  streamMaxMs: 600_000,
  /** What a client gets to read the end of its stream. */
  graceMs: 5_000,
  /** How long a client may take for a part before the server lets go of the others that it has read. */
  patienceMs: 1_000,
} as const
const atOnce = 50
/** Changes are sent together up to this length. It bounds what a client makes the server hold. */
const partCharsMax = 64 * 1024

interface FollowedFeed {
  readonly after: number
  readonly filter: ChangeFilter
  readonly hungUp: AbortSignal
  onShown(changes: readonly FeedChange[]): void
}

type StreamPace = Readonly<Record<keyof typeof usualPace, number>>

/**
 * Changes as server-sent events, from a position on. The id of an event is its position, so a client that connects
 * again goes on from there. A stream that waits holds no connection of the database.
 */
export async function streamChanges(
  ctx: Ctx,
  following: FollowedFeed,
  pace: StreamPace = usualPace,
): Promise<Answer> {
  refuseOutside(await nextChanges(ctx, following.after, {}, 0), following.after, 'Last-Event-ID')
  const leave = takePlace(ctx.instance, ctx.store.id, 'stream')
  // The kernel ends the response with its key; the events must not wait for the next change then.
  const key = ctx.instance.tokens.watch(ctx.who)
  const ends = AbortSignal.any([following.hungUp, key.signal, AbortSignal.timeout(pace.streamMaxMs)])
  const stream = Readable.from(events(ctx, { ...following, ends }, pace), { highWaterMark: 1 })
  // A client that reads nothing would keep its place.
  const timer = setTimeout(
    () => stream.destroy(new Unavailable('the client does not read its stream of changes')),
    pace.streamMaxMs + pace.graceMs,
  )
  // Also if nobody begins to read it.
  stream.once('close', () => {
    clearTimeout(timer)
    key.leave()
    leave()
  })
  return file(stream, eventStream, { 'x-accel-buffering': 'no' })
}

type Endless = Omit<FollowedFeed, 'hungUp'> & { readonly ends: AbortSignal }

async function* events(
  ctx: Ctx,
  { after, filter, ends, onShown }: Endless,
  { silenceMaxMs, patienceMs }: StreamPace,
): AsyncGenerator<string> {
  const { feed } = ctx.instance
  let position = after
  // An event without data: the client learns a position from which to go on.
  yield `retry: 1000\nid: ${position}\n\n`
  while (!ends.aborted && !feed.isStopped) {
    const page = await readPage(ctx, position, filter)
    const before = position
    for (let part = page.takePart(); part.length > 0; part = page.takePart()) {
      onShown(part)
      const patience = setTimeout(page.drop, patienceMs)
      yield part.map((change) => `id: ${change.position}\ndata: ${changeText(change)}\n\n`).join('')
      clearTimeout(patience)
      position = part.at(-1)?.position ?? position
    }
    position = page.reached ?? position
    if (position > before) continue
    const silence = AbortSignal.timeout(silenceMaxMs)
    await feed.past(ctx.store.id, position, AbortSignal.any([ends, silence]))
    if (silence.aborted) yield `id: ${position}\n\n`
  }
}

/** Changes that have been read, and are sent in parts. */
interface ChangesPage {
  /** The next changes to send together. */
  takePart(): readonly FeedChange[]
  /** Lets go of what has not been sent: it is read again when the client goes on. */
  drop(): void
  /** The position from which to go on; undefined if that is the last change that was sent. */
  readonly reached: number | undefined
}

async function readPage(ctx: Ctx, from: number, filter: ChangeFilter): Promise<ChangesPage> {
  const found = await followOn(ctx, from, filter, atOnce)
  refuseOutside(found, from, 'Last-Event-ID')
  let unsent = [...found.changes]
  let reached: number | undefined = found.reached
  return {
    takePart() {
      let chars = 0
      const end = unsent.findIndex(({ doc = '' }) => {
        chars += doc.length
        return chars > partCharsMax
      })
      // One change is a part, however long it is.
      return unsent.splice(0, end < 0 ? unsent.length : Math.max(1, end))
    },
    drop() {
      if (unsent.length > 0) reached = undefined
      unsent = []
    },
    get reached() {
      return reached
    },
  }
}
