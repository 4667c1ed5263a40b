import { isDeepStrictEqual } from 'node:util'
import { accountRealmId } from '../identity/index.ts'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { listAnswer } from '../kernel/http/answer.ts'
import { fetchPage } from '../kernel/query/page.ts'
import { type Row, resource } from '../kernel/resource.ts'
import { askAboutEntry, type DataEntry, feedTypes } from './data-entries.ts'
import { entryQuery } from './entry-query.ts'
import { personalDataEnvelope } from './envelope.ts'
import { type Initiator, initiatorsOf } from './initiators.ts'
import { type Past, pastsOf } from './pasts-of.ts'
import { resourcePath } from './resource-path.ts'

/** The change feed, as far as it is about personal data, and the reads beside it. */
const personalDataLogs = resource({
  type: 'personal_data_log_entry',
  noun: ['personal-data-log', 'personal-data-logs'],
  about: 'One read or change of an object that holds personal data.',
  path: '/v2/personal-data/logs',
  table: 'personal_data_logs',
  scope: { columns: ['resource_id'] },
  fields: {},
  area: 'personal-data',
  envelope: personalDataEnvelope,
  operations: [],
})

/** A row of the view: what was done, and what is stored of it. */
interface Stored {
  readonly kind: 'created' | 'updated' | 'deleted' | 'read'
  readonly seq: number
  readonly actor: string
  readonly after: Values | null
  readonly parent_id: string | null
  readonly parent: Past['parent']
}

/** What was done, from what to what it changed the object, and where that was found. */
export type LogEntry = Stored & Past

export type Values = Readonly<Record<string, unknown>>

export const listPersonalDataLogs = action({
  name: 'list-personal-data-logs',
  route: 'GET /v2/personal-data/logs',
  about:
    'Lists who read or changed one object that holds personal data, when, and what was changed, the newest first.',
  area: 'personal-data',
  status: 200,
  query: entryQuery,
  // Not of a resource: without the filter there is no list.
  shows: { page: true },

  async run(ctx, call) {
    const { ask, entry } = askAboutEntry(call)
    const realm = entry.type === 'account-member' ? await accountRealmId(ctx) : undefined
    const page = await fetchPage(
      ctx,
      {
        resource: personalDataLogs,
        scope: [entry.id],
        where: (bind) => {
          const ofType = `feed_type = ${bind(feedTypes[entry.type])}`
          return realm ? `${ofType} AND parent_id = ${bind(realm)}::uuid` : ofType
        },
      },
      ask,
    )
    const stored = page.rows.map(({ text }) => JSON.parse(text) as Stored)
    const changes = stored.filter(({ kind }) => kind !== 'read')
    const pasts = await pastsOf(ctx, { type: feedTypes[entry.type], id: entry.id }, changes)
    const entries = stored.map((one) => ({ ...one, ...(pasts.get(one) ?? { before: null }) }))
    const initiatorOf = await initiatorsOf(
      ctx,
      entries.map(({ actor }) => actor),
    )
    const rows = page.rows.map((row, i) => {
      const logged = entries[i] as LogEntry
      return { ...row, text: JSON.stringify(shown(ctx, entry, row, logged, initiatorOf(logged.actor))) }
    })
    return listAnswer(personalDataLogs, { ...page, rows }, ctx, call)
  },
})

function shown(ctx: Ctx, entry: DataEntry, row: Row, logged: LogEntry, initiator: Initiator) {
  const path = resourcePath(entry, logged)
  return {
    store_id: ctx.store.id,
    initiator,
    time: row.createdAt,
    event_type: `${entry.type}.event.${logged.kind}`,
    delta: deltaOf(entry, logged),
    resource_id: entry.id,
    resource_type: entry.type,
    ...(path && { relationships: { resource_path: { url: ctx.baseUrl + path } } }),
  }
}

/**
 * The fields that have other values than before; null for one that is gone. Empty when nothing that is shown has
 * changed: a password, for example, or nothing at all. The oldest change that is still kept has all fields.
 */
function deltaOf({ type, id }: DataEntry, { kind, before, after }: LogEntry): Values {
  if (!after) return {}
  if (kind === 'created') return { id, type, ...after }
  const known = before ?? {}
  const names = [...new Set([...Object.keys(known), ...Object.keys(after)])]
  const changed = names.filter((name) => !isDeepStrictEqual(known[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
