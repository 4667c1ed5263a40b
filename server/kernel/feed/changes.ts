import { flatten } from '../shape/envelope.ts'
import type { Fields, Values } from '../shape/fields.ts'
import type { Model, Row } from '../shape/model.ts'
import { type Columns, columns, number, optional, optionalText } from '../storage/columns.ts'
import { completeText } from '../storage/complete-text.ts'
import { isoTime } from '../storage/expressions.ts'
import type { Store } from '../storage/store.ts'

/** A change of an object, or an event that `record` has written, at its position in the store's feed. */
export interface FeedChange {
  readonly position: number
  /** An ISO timestamp: the time of the change, by the clock of the process that wrote it. */
  readonly at: string
  /** `created`, `updated` or `deleted`, or the name of an event. */
  readonly event: string
  readonly type: string
  /** The table of the object: see `track`. */
  readonly source: string
  readonly id: string
  /** The id that clients know the object by, where that is another. */
  readonly publicId: string | undefined
  /** The id of the innermost parent in the object's path. */
  readonly scope: string | undefined
  readonly actor: string
  readonly requestId: string
  /** The JSON of what is shown of the object after the change; undefined after its deletion. */
  readonly doc: string | undefined
  /** Undefined for events, and for changes from before the feed stored it. The same holds for `createdAt`. */
  readonly version: number | undefined
  readonly createdAt: string | undefined
  /** The JSON of the hidden values that the table stores in the feed. */
  readonly hidden: string | undefined
}

/** The id that clients know the object of a change by. */
export const clientsIdOf = ({ id, publicId }: Pick<FeedChange, 'id' | 'publicId'>): string => publicId ?? id

/** How far the feed of a store goes. */
export interface FeedBounds {
  /** The position of the last change. */
  readonly last: number
  /** Changes up to this position may have been trimmed. */
  readonly trimmed: number
}

export async function feedBounds(store: Store): Promise<FeedBounds> {
  const [row] = await store.read('SELECT position, trimmed FROM feeds WHERE store_id = $1')
  return { last: Number(row?.[0] ?? 0), trimmed: Number(row?.[1] ?? 0) }
}

const named = {
  position: ['position', number],
  at: isoTime('at'),
  event: 'event',
  type: 'type',
  source: 'source',
  id: 'id',
  publicId: ['public_id', optionalText],
  scope: ['scope', optionalText],
  actor: 'actor',
  requestId: 'request_id',
  doc: ['doc', optionalText],
  version: ['version', optional(number)],
  createdAt: [isoTime('created_at'), optionalText],
  hidden: ['hidden', optionalText],
} as const
export const changeColumns: Columns<FeedChange> = columns(named)

/** The day of a position bounds the partitions that hold it and later ones. */
export const sinceDayOf = (position: string) => `given_at >= coalesce((
      SELECT day::timestamp AT TIME ZONE 'UTC' FROM feed_days
      WHERE store_id = $1 AND position <= ${position} ORDER BY day DESC LIMIT 1), '-infinity')`

const readSql = (shown: string) => `SELECT ${shown} FROM changes
  WHERE store_id = $1 AND position > $2 AND ${sinceDayOf('$2 + 1')}
  ORDER BY position LIMIT $3`

const wholeSql = readSql(changeColumns.sql)
const partSql = readSql(
  columns({ ...named, doc: 'CASE WHEN source = ANY($4::text[]) THEN doc END', hidden: 'NULL' }).sql,
)

/**
 * The next changes after a position, at most `most`, in their order. With `docsOf`, only those of these tables have
 * their documents: documents are most of what is read.
 */
export async function readChanges(
  store: Store,
  after: number,
  most: number,
  docsOf?: readonly string[],
): Promise<readonly FeedChange[]> {
  const rows = docsOf ? await store.run(partSql, after, most, docsOf) : await store.run(wholeSql, after, most)
  return rows.map(changeColumns.read)
}

const readAtSql = `SELECT ${changeColumns.sql} FROM changes
  WHERE store_id = $1 AND position = ANY($2::bigint[]) AND ${sinceDayOf('$3')}`

/** Those changes at these positions that the feed still has, by their positions. */
export async function readChangesAt(
  store: Store,
  positions: readonly number[],
): Promise<ReadonlyMap<number, FeedChange>> {
  const changes = (await store.run(readAtSql, positions, Math.min(...positions))).map(changeColumns.read)
  return new Map(changes.map((change) => [change.position, change]))
}

/**
 * The JSON of each object as it was before a change, by the change; undefined for the first one in the feed. Objects of
 * different parents may have the same id. It is a statement of its own: that of a list would find it also for the
 * changes that a page skips.
 */
export async function findBefore<C extends Pick<FeedChange, 'position' | 'source' | 'id' | 'scope'>>(
  store: Store,
  changes: readonly C[],
): Promise<ReadonlyMap<C, string | undefined>> {
  if (!changes.length) return new Map()
  const rows = await store.run(
    `SELECT (SELECT b.doc FROM changes b
       WHERE b.store_id = $1 AND b.source = c.source AND b.id = c.id AND b.scope IS NOT DISTINCT FROM c.scope
         AND b.position < c.position
       ORDER BY b.position DESC LIMIT 1)
     FROM unnest($2::bigint[], $3::text[], $4::uuid[], $5::uuid[]) WITH ORDINALITY
       AS c (position, source, id, scope, place)
     ORDER BY c.place`,
    changes.map(({ position }) => position),
    changes.map(({ source }) => source),
    changes.map(({ id }) => id),
    changes.map(({ scope }) => scope ?? null),
  )
  return new Map(changes.map((change, i) => [change, rows[i]?.[0] ?? undefined]))
}

/** The JSON of each object of a table as it was at a version; undefined where the feed does not have it any more. */
export async function docsAtVersions(
  store: Store,
  source: string,
  versions: readonly { readonly id: string; readonly version: number }[],
): Promise<readonly (string | undefined)[]> {
  const rows = await store.run(
    `SELECT (SELECT b.doc FROM changes b
       WHERE b.store_id = $1 AND b.source = $2 AND b.id = c.id AND b.version = c.version
       ORDER BY b.position DESC LIMIT 1)
     FROM unnest($3::uuid[], $4::int[]) WITH ORDINALITY AS c (id, version, place) ORDER BY c.place`,
    source,
    versions.map(({ id }) => id),
    versions.map(({ version }) => version),
  )
  return rows.map(([doc]) => doc ?? undefined)
}

/**
 * What the feed knows of an object after a change: the hidden values are those that its table stores
 * there. A response that shows it is no read of the object.
 */
export function rowOfChange<F extends Fields>(model: Model<F>, change: FeedChange): Row<F> {
  const { id, scope, doc = '{}', hidden = '{}', version = 0, at, createdAt = at } = change
  const text = completeText(model, doc)
  return {
    ...{ id, version, createdAt, updatedAt: at, text, written: true, added: model.added },
    scope: scope === undefined ? [] : [scope],
    get doc() {
      return flatten(model.envelope, JSON.parse(text)) as Values<F>
    },
    get hidden() {
      return JSON.parse(hidden) as Partial<Values<F>>
    },
  }
}
