import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import type { FeedChange } from '../../kernel/feed/changes.ts'
import type { ChangeFilter, FoundChanges } from '../../kernel/feed/look-for-changes.ts'
import { exportBatches } from '../../kernel/request/export-list.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { integer, text } from '../../kernel/shape/fields.ts'
import type { Model } from '../../kernel/shape/model.ts'
import { about, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { changeText, shownChange } from './change-text.ts'
import {
  besideEntries,
  type FeedQuery,
  filterField,
  readFeedQuery,
  readPosition,
  refuseLimit,
} from './feed-query.ts'
import { nextChanges, refuseOutside } from './follow.ts'
import { noteReads } from './note-reads.ts'
import { eventStream, streamChanges } from './stream-changes.ts'
import { followOn } from './tail.ts'
import { takePlace } from './waiting.ts'

const waitMaxS = 30

const position = shown.as<number>({ type: 'integer', minimum: 0 })

const page = shown.group({
  data: shown.list(shownChange),
  meta: shown.group({
    page: shown.group({ limit: position }),
    feed: shown.group({
      oldest: about('The oldest position that has not been trimmed.', position),
      last: about('The position of the last change of the store.', position),
      reached: about('All changes up to this position have been looked at: go on from here.', position),
    }),
  }),
  links: shown.group({ current: shown.text, next: shown.text }),
})

/** Lists what has changed in the store. `modelOf` knows the model of a table. */
export const listChanges = (modelOf: (table: string) => Model | undefined) =>
  action({
    name: 'list-changes',
    route: 'GET /v2/changes',
    about:
      'Lists what has changed in the store, in the order of the changes, from a position on. With `wait` the response waits for the next change; with `Accept: text/event-stream` changes are sent as they happen; as NDJSON or CSV all changes are sent. A position that the store no longer has is refused with a 410: read the lists again then.',
    area: 'changes',
    status: 200,
    query: {
      'page[after]': text({
        about:
          'The position of the last change that the client has. Without it the list begins with the oldest change.',
        example: '1',
      }),
      'page[limit]': integer({
        min: 0,
        max: 100,
        about: 'The most changes in a response: 100 by default.',
        example: 25,
      }),
      filter: filterField,
      wait: integer({
        min: 0,
        max: waitMaxS,
        about: 'The number of seconds to wait if there is no change yet.',
        example: 30,
      }),
    },
    headers: {
      Accept: text({
        about: '`text/event-stream` for server-sent events, `application/x-ndjson` or `text/csv` for lines.',
        example: eventStream,
      }),
      'Last-Event-ID': text({ about: 'Of a stream: as `page[after]`, which it replaces.', example: '1' }),
    },
    refuses: ['gone', 'rate_limited'],
    shows: { body: page, stream: eventStream, lines: true },

    async run(request, call) {
      const ctx = request.onPrimary()
      const query = readFeedQuery(call.query)
      const onShown = (changes: readonly FeedChange[]) => noteReads(ctx, changes, modelOf)
      if (wantsStream(call.headers.accept)) {
        const lastId = call.headers['last-event-id']
        const after =
          typeof lastId === 'string' && lastId ? readPosition(lastId, 'Last-Event-ID') : query.after
        const from = after ?? (await nextChanges(ctx, 0, {}, 0)).trimmed
        return streamChanges(ctx, { after: from, filter: query.filter, hungUp: call.hungUp(), onShown })
      }
      const waitS = readWait(call.query)
      if (ctx.lines) {
        if (waitS > 0)
          throw new Problem(
            'bad_request',
            'Lines (application/x-ndjson, text/csv) do not wait for more: send the request without wait.',
            { source: 'wait' },
          )
        return exportChanges(ctx, query, (inside, changes) => noteReads(inside, changes, modelOf))
      }
      const found = await find(ctx, query, waitS, () => call.hungUp())
      onShown(found.changes)
      return answer(ctx, query, found, call)
    },
  })

const wantsStream = (accept: string | string[] | undefined): boolean =>
  String(accept ?? '')
    .split(',')
    .some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === eventStream)

function readWait(query: string): number {
  const [wait = '0', ...others] = new URLSearchParams(query).getAll('wait')
  if (others.length) throw new Problem('bad_request', 'wait must be sent only once.', { source: 'wait' })
  if (!/^[0-9]{1,3}$/.test(wait) || Number(wait) > waitMaxS) {
    throw new Problem('bad_request', `wait must be a whole number of seconds from 0 to ${waitMaxS}.`, {
      source: 'wait',
    })
  }
  return Number(wait)
}

/** The next changes. If there are none, it waits for them. */
async function find(
  ctx: Ctx,
  { filter, most, after }: FeedQuery,
  waitS: number,
  hungUp: () => AbortSignal,
): Promise<FoundChanges> {
  const first = await firstPart(ctx, filter, most, after, waitS > 0 ? followOn : nextChanges)
  if (!mustWait(first) || waitS === 0) return first
  const leave = takePlace(ctx.instance, ctx.store.id, 'poll')
  const key = ctx.instance.tokens.watch(ctx.who)
  try {
    const time = AbortSignal.timeout(waitS * 1000)
    const signal = AbortSignal.any([time, hungUp(), key.signal])
    let found = first
    while (mustWait(found) && !signal.aborted && !ctx.instance.feed.isStopped) {
      await ctx.instance.feed.past(ctx.store.id, found.reached, signal)
      const { reached } = found
      found = await followOn(ctx, reached, filter, most)
      refuseOutside(found, reached, 'page[after]')
    }
    key.signal.throwIfAborted()
    return found
  } finally {
    key.leave()
    leave()
  }
}

/** All changes from a position on, up to the end that the feed has now. */
async function exportChanges(
  ctx: Ctx,
  query: FeedQuery,
  onShown: (inside: Ctx, changes: readonly FeedChange[]) => void,
): Promise<Answer> {
  refuseLimit(query)
  const { filter, after, most } = query
  const { trimmed, last } = await firstPart(ctx, filter, 0, after, nextChanges)
  async function* read(inside: Ctx) {
    for (let position = after ?? trimmed; position < last; ) {
      const found = await nextChanges(inside, position, filter, most)
      refuseOutside(found, position, 'page[after]')
      position = found.reached
      const changes = found.changes.filter((change) => change.position <= last)
      onShown(inside, changes)
      yield changes.map(changeText)
    }
  }
  return exportBatches(ctx, { shown: shownChange, position: last, read })
}

/** From a position, or from the oldest change. */
async function firstPart(
  ctx: Ctx,
  filter: ChangeFilter,
  most: number,
  after: number | undefined,
  next: typeof nextChanges,
): Promise<FoundChanges> {
  const found = await next(ctx, after ?? 0, filter, most)
  if (after === undefined && found.trimmed > 0) return nextChanges(ctx, found.trimmed, filter, most)
  refuseOutside(found, after ?? 0, 'page[after]')
  return found
}

/** Nothing was found up to the end of the feed. */
const mustWait = ({ changes, reached, last }: FoundChanges) => changes.length === 0 && reached >= last

function answer(
  ctx: Ctx,
  query: FeedQuery,
  found: FoundChanges,
  call: { readonly path: string; readonly query: string },
): Answer {
  const { meta, links } = besideEntries(ctx, call, query, found)
  const data = found.changes.map(changeText).join(',')
  return {
    status: 200,
    body: `{"data":[${data}],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}}`,
  }
}
