import { send } from './client.ts'
import { isItem, valueAt } from './objects.ts'
import { ApiProblem } from './problem.ts'

/** A change of an object, as the feed has it. */
export interface FeedChange {
  readonly position: number
  readonly id: string
  /** The id of the innermost parent in its path. */
  readonly parent: string | undefined
}

const numberAt = (body: unknown, path: string): number => Number(valueAt(body, path) ?? 0)

/** The position of the last change of the store. */
export async function feedEnd(signal: AbortSignal): Promise<number> {
  const { body } = await send({ path: '/v2/changes?page[limit]=0', signal })
  return numberAt(body, 'meta.feed.last')
}

const waitS = 25
const pauseMs = 5000

interface Following {
  readonly type: string
  readonly after: number
  readonly signal: AbortSignal
  /** `reached`: all changes up to this position have been looked at. */
  onChanges(changes: readonly FeedChange[], reached: number): void
}

/** Waits for changes of a type at the server, until the signal ends it, or the server refuses to go on. */
export async function followFeed({ type, after, signal, onChanges }: Following): Promise<void> {
  for (let position = after; !signal.aborted; ) {
    const query = new URLSearchParams({
      ...{ filter: `eq(type,${type})`, 'page[after]': String(position), wait: String(waitS) },
    })
    try {
      const { body } = await send({ path: `/v2/changes?${query}`, signal })
      position = numberAt(body, 'meta.feed.reached')
      onChanges(changesIn(body), position)
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) return
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

const isTemporary = (error: unknown) =>
  error instanceof ApiProblem && [0, 429, 500, 502, 503, 504].includes(error.status)

function changesIn(body: unknown): readonly FeedChange[] {
  const data = valueAt(body, 'data')
  return (Array.isArray(data) ? data.filter(isItem) : []).map((change) => {
    const parent = valueAt(change, 'object.parent')
    return {
      position: numberAt(change, 'position'),
      id: String(valueAt(change, 'object.id')),
      parent: typeof parent === 'string' ? parent : undefined,
    }
  })
}
