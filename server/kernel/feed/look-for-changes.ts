import { isId } from '../ids.ts'
import { columns, number, optional } from '../storage/columns.ts'
import type { Store } from '../storage/store.ts'
import { changeColumns, type FeedBounds, type FeedChange, sinceDayOf } from './changes.ts'

/** Which changes a reader wants. What is undefined does not matter. */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined
  readonly events?: readonly string[] | undefined
  /** Those that clients know. */
  readonly ids?: readonly string[] | undefined
  readonly actors?: readonly string[] | undefined
  /** ISO timestamps: from this one on, and before that one. */
  readonly from?: string | undefined
  readonly before?: string | undefined
}

/** A part of the feed. */
interface Stretch {
  /** The direction is that of the answer: the oldest or the newest first. */
  readonly from: number
  readonly order: 'forwards' | 'backwards'
  /** The most changes to return, and how many positions to look at. */
  readonly most: number
  readonly look: number
}

/** What a look at a part of the feed finds. */
export interface FoundChanges extends FeedBounds {
  readonly changes: readonly FeedChange[]
  /** All positions up to this one, in the direction of the stretch, have been looked at. */
  readonly reached: number
  /** The last position, in that direction, that can match. */
  readonly end: number
  /** The position from which to look is one that another server has given, before the store was imported here. */
  readonly isForeign: boolean
}

/** Matches all changes for a parameter that is null. */
const filterSql = `($4::text[] IS NULL OR type = ANY($4)) AND ($5::text[] IS NULL OR event = ANY($5))
  AND ($7::text[] IS NULL OR actor = ANY($7))
  AND ($8::timestamptz IS NULL OR at >= $8) AND ($9::timestamptz IS NULL OR at < $9)`

/** Whether a change is one that the filter chooses. It is `filterSql` for changes that have been read already. */
export const matches = (
  {
    type,
    event,
    id,
    publicId,
    actor,
    at,
  }: Pick<FeedChange, 'type' | 'event' | 'id' | 'publicId' | 'actor' | 'at'>,
  { types, events, ids, actors, from, before }: ChangeFilter,
): boolean =>
  (types?.includes(type) ?? true) &&
  (events?.includes(event) ?? true) &&
  (ids?.some((one) => one.toLowerCase() === id || one === publicId) ?? true) &&
  (actors?.includes(actor) ?? true) &&
  // Both are in UTC, with milliseconds.
  (from === undefined || at >= from) &&
  (before === undefined || at < before)

/** The first position of the last day that is a day before an instant: clocks differ by less. */
const dayBefore = (instant: string) => `(SELECT d.position FROM feed_days d
    WHERE d.store_id = $1 AND d.day < (${instant} AT TIME ZONE 'UTC')::date ORDER BY d.day DESC LIMIT 1)`
const dayAfter = (instant: string) => `(SELECT d.position FROM feed_days d
    WHERE d.store_id = $1 AND d.day > (${instant} AT TIME ZONE 'UTC')::date + 1 ORDER BY d.day LIMIT 1)`

/**
 * Where the stretch begins, the last position that can match, the positions of the stretch, and their order. `gap` are
 * positions in the stretch, or just behind it, that the feed has skipped: an import leaves a thousand million out.
 */
const directions = {
  forwards: {
    start: `greatest($2::bigint, ${dayBefore('$8::timestamptz')} - 1)`,
    end: 'f.position',
    stretch: `position > s.start AND position <= s.start + $3::bigint AND ${sinceDayOf('s.start + 1')}`,
    gap: 'g.until > s.start AND g.after < s.start + $3::bigint ORDER BY g.after',
    order: 'ASC',
  },
  backwards: {
    start: `least($2::bigint, f.position + 1, ${dayAfter('$9::timestamptz')})`,
    end: `greatest(f.trimmed + 1, ${dayBefore('$8::timestamptz')})`,
    stretch: 'position < s.start AND position >= s.start - $3::bigint',
    gap: 'g.after < s.start - 1 AND g.until >= s.start - $3::bigint ORDER BY g.after DESC',
    order: 'DESC',
  },
} as const

const partColumns = (end: string) =>
  columns({
    last: ['f.position', number],
    trimmed: ['f.trimmed', number],
    start: ['s.start', number],
    end: [end, number],
    after: ['g.after', optional(number)],
    until: ['g.until', optional(number)],
  })

const parts = {
  forwards: partColumns(directions.forwards.end),
  backwards: partColumns(directions.backwards.end),
}

const noPart = { ...{ last: 0, trimmed: 0, start: 0, end: 0 }, after: undefined, until: undefined }

/**
 * All in one snapshot: no change may get a position between what is looked at and the end of the feed. One index
 * finds the changes of some ids, and another those of the ids that clients have chosen. They are sorted, because the
 * order of positions would mean reading all of them.
 */
function lookSql(
  { start, stretch, gap, order }: (typeof directions)[keyof typeof directions],
  part: string,
  byId: boolean,
): string {
  const changesWhere = (which: string) =>
    `SELECT ${changeColumns.sql} FROM changes WHERE store_id = $1 AND ${which} AND ${stretch} AND ${filterSql}`
  const [found, sorted] = byId
    ? [
        `SELECT * FROM (${changesWhere('id = ANY($6::uuid[])')} UNION ALL
          ${changesWhere('public_id = ANY($11::text[]) AND NOT id = ANY($6::uuid[])')}) found`,
        'position + 0',
      ]
    : [changesWhere('$6::uuid[] IS NULL AND $11::text[] IS NULL'), 'position']
  return `SELECT ${part}, c.*
  FROM feeds f CROSS JOIN LATERAL (SELECT ${start} AS start) s
  LEFT JOIN LATERAL (SELECT g.after, g.until FROM feed_gaps g WHERE g.store_id = $1 AND ${gap} LIMIT 1) g ON true
  LEFT JOIN LATERAL (
    ${found} ORDER BY ${sorted} ${order} LIMIT $10
  ) c ON true WHERE f.store_id = $1 ORDER BY c.position ${order}`
}

/** Looks at a part of the feed for changes. The cost is limited by `look`, whatever the filter is. */
export async function lookForChanges(
  store: Store,
  { from, order, most, look }: Stretch,
  { types, events, ids, actors, from: since, before }: ChangeFilter,
): Promise<FoundChanges> {
  const part = parts[order]
  const rows = await store.run(
    lookSql(directions[order], part.sql, ids !== undefined),
    ...[
      from,
      look,
      types ?? null,
      events ?? null,
      ids?.filter(isId) ?? null,
      actors ?? null,
      since ?? null,
      before ?? null,
    ],
    most,
    ids ?? null,
  )
  const { last, trimmed, start, end, after, until } = rows[0] ? part.read(rows[0]) : noPart
  // Without a change, the row has nulls in its place.
  const changes = rows
    .map((row) => row.slice(part.count))
    .flatMap((row) => (row[0] === null ? [] : [changeColumns.read(row)]))
  const lookedAt =
    order === 'forwards'
      ? Math.min(Math.max(start + look, until ?? 0), end)
      : Math.max(Math.min(start - look, after === undefined ? start : after + 1), end)
  // A reader who wants no changes stays where it is.
  const nowhere = order === 'forwards' ? from : Math.min(from, last + 1)
  return {
    ...{ changes, last, trimmed, end },
    reached: changes.length === most ? (changes.at(-1)?.position ?? nowhere) : lookedAt,
    // A position that this feed has never given.
    isForeign: after !== undefined && until !== undefined && after < from && from < until,
  }
}
