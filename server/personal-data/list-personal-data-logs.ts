import { action } from '../kernel/declare/action.ts'
import { resource } from '../kernel/declare/resource.ts'
import { findBefore } from '../kernel/feed/changes.ts'
import { sequence } from '../kernel/feed/sequence.ts'
import { objectText } from '../kernel/http/object-text.ts'
import { named } from '../kernel/openapi/named-schemas.ts'
import type { Source } from '../kernel/query/sql.ts'
import { answerList } from '../kernel/request/export-list.ts'
import type { ShownValues } from '../kernel/shape/fields.ts'
import type { Row } from '../kernel/shape/model.ts'
import { about, optional, shown } from '../kernel/shape/shown.ts'
import type { Ctx } from '../kernel/work/context.ts'
import {
  deltaOf as changedFields,
  type DeltaValues,
  findInitiators,
  type Initiator,
  initiator,
} from '../telling/index.ts'
import { type DataEntry, entryQuery, parseEntryQuery } from './data-entries.ts'
import { personalDataEnvelope } from './personal-data-envelope.ts'
import { findParts, type ObjectPlace, type Register, resourcePath } from './register.ts'

/**
 * Changes and reads as one list. An id is made of time, list and number (RFC 9562, version 8), so that ids sort as the
 * entries do.
 */
const logSql = `(
  SELECT e.store_id, e.resource_id, e.source, e.scope,
    (lpad(to_hex((extract(epoch FROM e.at) * 1000)::bigint), 12, '0') || '8000' || e.list || lpad(to_hex(e.n), 15, '0'))::uuid
      AS id,
    0 AS version, e.at AS created_at, e.at AS updated_at,
    json_build_object('event', e.event, 'n', e.n, 'actor', e.actor, 'source', e.source, 'scope', e.scope,
      'parent_scope', e.parent_scope, 'after', e.doc) AS doc
  FROM (
    SELECT store_id, id AS resource_id, source, scope, NULL::uuid AS parent_scope, '8' AS list, position AS n, at, event,
      actor, doc
    FROM changes WHERE personal
    UNION ALL
    SELECT store_id, id, source, scope, parent_scope, '9', seq, at, 'read', actor, NULL FROM personal_data_reads
  ) e
) personal_data_logs`

const personalDataLogs = resource({
  type: 'personal_data_log_entry',
  noun: ['personal-data-log', 'personal-data-logs'],
  about: 'One read or change of an object that holds personal data.',
  path: '/v2/personal-data/logs',
  table: logSql,
  scope: { columns: ['resource_id'] },
  fields: {},
  area: 'personal-data',
  envelope: personalDataEnvelope,
  operations: [],
})

/** What responses show of an entry beside its type and id. */
const logEntryFacts = {
  store_id: shown.uuid,
  initiator,
  time: shown.time,
  event_type: about('The type of the object and the event, as in `account.event.updated`.', shown.text),
  delta: about('The fields whose values changed.', shown.object),
  resource_id: shown.text,
  resource_type: shown.text,
  relationships: optional(shown.group({ resource_path: shown.group({ url: shown.text }) })),
}

const logEntry = named(
  'PersonalDataLogEntry',
  shown.group({ type: shown.constant('personal_data_log_entry'), id: shown.uuid, ...logEntryFacts }),
)

/** An entry of the log, as it is stored. */
interface StoredEntry extends ObjectPlace {
  /** The event of the change feed, or `read`. */
  readonly event: string
  /** The change's position in the feed, or the number of the read. */
  readonly n: number
  readonly actor: string
  readonly after: DeltaValues | null
}

/** An entry of the log, with the object before the change. */
type LogEntry = StoredEntry & StateBefore

export const listPersonalDataLogs = (register: Register) =>
  action({
    name: 'list-personal-data-logs',
    route: 'GET /v2/personal-data/logs',
    about:
      'Lists who read or changed an object that holds personal data, when, and what changed, the newest first.',
    area: 'personal-data',
    status: 200,
    query: entryQuery(register),
    // It shows no resource, because the list needs a filter.
    shows: { page: true, data: logEntry },

    async run(ctx, call) {
      const { query, entry } = parseEntryQuery(register, call)
      await sequence(ctx.store)
      const source = {
        resource: personalDataLogs,
        scope: [entry.id],
        where: await typeCondition(ctx, register, entry.type),
      }
      const show = (inside: Ctx, rows: readonly Row[]) => showEntries(inside, register, entry, rows)
      return answerList(ctx, call, { source, show, shown: logEntry }, { query })
    },
  })

async function showEntries(
  ctx: Ctx,
  register: Register,
  entry: DataEntry,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const stored = rows.map(({ text }) => JSON.parse(text) as StoredEntry)
  const changes = stored.filter(({ event }) => event !== 'read')
  const priorStates = await findPriorStates(ctx, register, entry, changes)
  const entries = stored.map((one) => ({ ...one, ...(priorStates.get(one) ?? { before: null }) }))
  const initiatorOf = await findInitiators(
    ctx,
    entries.map(({ actor }) => actor),
  )
  return rows.map((row, i) => {
    const logged = entries[i] as LogEntry
    const path = resourcePath(register, entry.type, entry.id, logged)
    const text = JSON.stringify(showEntry(ctx, entry, row, logged, path, initiatorOf(logged.actor)))
    return objectText(personalDataLogs, { ...row, text }, ctx, true)
  })
}

/** The condition on the entries of objects of this type. */
async function typeCondition(
  ctx: Ctx,
  register: Register,
  type: string,
): Promise<NonNullable<Source['where']>> {
  const holders = register.holdersOf(type)
  const tables = holders.map(({ resource }) => resource.table)
  const parts = await findParts(ctx, register, type)
  return (bind) => {
    const isOfTable = `source = ANY(${bind(tables)}::text[])`
    return holders.some(({ resource }) => resource.scope)
      ? `${isOfTable} AND scope = ANY(${bind(parts)}::uuid[])`
      : isOfTable
  }
}

function showEntry(
  ctx: Ctx,
  entry: DataEntry,
  row: Row,
  logged: LogEntry,
  path: string | undefined,
  author: Initiator,
): ShownValues<typeof logEntryFacts> {
  return {
    store_id: ctx.store.id,
    initiator: author,
    time: row.createdAt,
    event_type: `${entry.type}.event.${logged.event.split('.').at(-1)}`,
    delta: deltaOf(entry, logged),
    resource_id: entry.id,
    resource_type: entry.type,
    ...(path && { relationships: { resource_path: { url: ctx.baseUrl + path } } }),
  }
}

/**
 * The fields that the change gave other values, with null for a removed field. It is empty if no visible field changed,
 * as with a new password. For the oldest change in the feed it has all fields.
 */
function deltaOf({ type, id }: DataEntry, { event, before, after }: LogEntry): DeltaValues {
  if (!after) return {}
  if (event === 'created') return { id, type, ...after }
  return changedFields(before, after)
}

/** The object before a change, and the scope of its parent. */
interface StateBefore extends Pick<ObjectPlace, 'parent_scope'> {
  readonly before: DeltaValues | null
}

interface LoggedChange extends Pick<ObjectPlace, 'source' | 'scope'> {
  readonly n: number
}

/** Finds the state before each of these changes of one object. */
async function findPriorStates<C extends LoggedChange>(
  ctx: Ctx,
  register: Register,
  object: { readonly type: string; readonly id: string },
  changes: readonly C[],
): Promise<ReadonlyMap<C, StateBefore>> {
  if (!changes.length) return new Map()
  const parents = register.holdersOf(object.type).flatMap(({ resource }) => resource.parent?.().table ?? [])
  const rows = await ctx.store.run(
    `SELECT (SELECT p.scope FROM changes p
       WHERE p.store_id = $1 AND p.source = ANY($2::text[]) AND p.id = c.scope AND p.personal LIMIT 1)
     FROM unnest($3::uuid[]) WITH ORDINALITY AS c (scope, place) ORDER BY c.place`,
    parents,
    changes.map(({ scope }) => scope),
  )
  const positions = changes.map(({ n, source, scope }) => ({
    position: n,
    source,
    id: object.id,
    scope: scope ?? undefined,
  }))
  const before = await findBefore(ctx.store, positions)
  return new Map(
    changes.map((change, i) => {
      const doc = before.get(positions[i] as (typeof positions)[number])
      return [
        change,
        { before: doc ? (JSON.parse(doc) as DeltaValues) : null, parent_scope: rows[i]?.[0] ?? null },
      ]
    }),
  )
}
