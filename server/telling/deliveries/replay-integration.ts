import { instantOf } from '../../kernel/body/days.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { feedBounds } from '../../kernel/feed/changes.ts'
import { sequence } from '../../kernel/feed/sequence.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice, integer, text } from '../../kernel/shape/fields.ts'
import { about, optional, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { integrations } from '../integrations/integrations.ts'
import { beginReplay, countEvents, replaysMax } from './replay-events.ts'

const position = (words: string, example: number) => integer({ min: 0, about: words, example })
const time = (words: string) =>
  text({ format: 'date-time', about: words, example: '2026-11-25T10:00:00.000Z' })

const replay = shown.group({
  type: choice(['integration-replay'], { required: true }),
  integration_id: shown.uuid,
  from_position: shown.integer,
  to_position: shown.integer,
  events: optional(about('Of a dry run only: how many events would be sent.', shown.integer)),
  counted_to_position: optional(
    about(
      'Of a dry run only: the position up to which they were counted. A long window is counted for two seconds.',
      shown.integer,
    ),
  ),
})

/** The parts of a window that a client may name. */
interface ReplayWindow {
  readonly from_position?: number | undefined
  readonly to_position?: number | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export const replayIntegration = action({
  name: 'replay-integration',
  route: 'POST /v2/integrations/:id/replay',
  about:
    'Sends the events of a part of the change feed to an integration again: those that it observes now. Events have the ' +
    'ids that they had before. Name the window by positions or by times; it ends with the last change unless you say where. ' +
    'A dry run counts them.',
  area: 'integrations',
  status: 202,
  body: {
    type: 'integration-replay',
    fields: {
      from_position: position('The position of the first change.', 1),
      to_position: position('The position of the last change.', 1_000_000),
      from: time('The time of the first change.'),
      to: time('The time of the last change.'),
    },
  },
  refuses: ['rate_limited'],
  shows: { data: replay },
  async run(ctx, { params, body }) {
    const { id, doc } = await findByName(ctx, integrations, params.id)
    if (!doc.enabled)
      throw new Problem(
        'unprocessable',
        'The integration is disabled, so nothing can be sent. Enable it first.',
      )
    const { from, to, askedAt } = await windowOf(ctx, body)
    if (!(await beginReplay(ctx, { integrationId: id, after: from - 1, to, askedAt })))
      throw new Problem(
        'rate_limited',
        `At most ${replaysMax} replays of a store can run at a time; try again later.`,
        {
          headers: { 'retry-after': '5' },
        },
      )
    const window = { integration_id: id, from_position: from, to_position: to }
    const counted = ctx.isRehearsal
      ? await countEvents(ctx, { integrationId: id, after: from - 1, to })
      : undefined
    const data: ShownValue<typeof replay> = {
      type: 'integration-replay',
      ...window,
      ...(counted && { events: counted.events, counted_to_position: counted.reached }),
    }
    return json(202, { data })
  },
})

async function windowOf(
  work: Work,
  body: ReplayWindow,
): Promise<{ readonly from: number; readonly to: number; readonly askedAt: number }> {
  if (body.from_position === undefined && body.from === undefined) {
    const detail = 'data.from_position or data.from is required: it says where the window begins.'
    throw new Problem('unprocessable', detail, { source: 'data.from_position' })
  }
  // The window may end with what the client has just written.
  await sequence(work.store)
  const { last, trimmed } = await feedBounds(work.store)
  const from = Math.max(
    body.from_position ?? (await firstSince(work, instantOf(body.from as string))) ?? last + 1,
    1,
  )
  const to = Math.min(
    body.to_position ?? (body.to === undefined ? last : await lastUntil(work, instantOf(body.to))),
    last,
  )
  if (from > to) {
    const detail = `The window contains no change. The feed has changes up to position ${last}.`
    throw new Problem('unprocessable', detail, { source: 'data' })
  }
  if (from <= trimmed) {
    const detail = `The changes up to position ${trimmed} are no longer in the feed. Begin the window after that position.`
    throw new Problem('unprocessable', detail, { source: 'data.from_position' })
  }
  return { from, to, askedAt: last }
}

/** Changes have positions in almost the order of their times. How many of them may be out of it. */
const disorderMax = 1_000

async function firstSince({ store }: Work, atMs: number): Promise<number | undefined> {
  const [row] = await store.run(
    `SELECT min(position) FROM (
       SELECT position FROM changes WHERE store_id = $1 AND at >= $2 ORDER BY at LIMIT ${disorderMax}) f`,
    // PostgreSQL does not read all offsets of RFC 3339.
    new Date(atMs),
  )
  return row?.[0] == null ? undefined : Number(row[0])
}

async function lastUntil({ store }: Work, atMs: number): Promise<number> {
  const [row] = await store.run(
    `SELECT max(position) FROM (
       SELECT position FROM changes WHERE store_id = $1 AND at <= $2 ORDER BY at DESC LIMIT ${disorderMax}) l`,
    new Date(atMs),
  )
  return Number(row?.[0] ?? 0)
}
