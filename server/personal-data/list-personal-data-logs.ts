import { isDeepStrictEqual } from 'node:util'
import { accountRealmId } from '../identity/index.ts'
import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { listAnswer } from '../kernel/http/answer.ts'
import { fetchPage } from '../kernel/query/page.ts'
import { dialects, type Row, resource } from '../kernel/resource.ts'
import { askAboutEntry, type DataEntry, feedTypes } from './data-entries.ts'
import { type Initiator, initiatorsOf } from './initiators.ts'
import { resourcePath } from './resource-path.ts'

/** The change feed, as far as it is about personal data. Log entries are read from it, so none can be missing. */
const personalDataChanges = resource({
  type: 'personal_data_log_entry',
  noun: ['personal-data-log', 'personal-data-logs'],
  about: 'One change of an object that holds personal data.',
  path: '/v2/personal-data/logs',
  table: 'personal_data_changes',
  scopeColumns: ['resource_id'],
  fields: {},
  area: 'personal-data',
  dialect: { ...dialects.inside, meta: 'none', links: 'none' },
  operations: [],
})

/** A row of the view: what was changed, from what to what, and where the object was found. */
export interface Change {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly actor: string
  readonly before: Values | null
  readonly after: Values | null
  readonly parent_id: string | null
  readonly parent: { readonly type: string; readonly parent_id: string | null } | null
}

type Values = Readonly<Record<string, unknown>>

export const listPersonalDataLogs = action({
  name: 'list-personal-data-logs',
  route: 'GET /v2/personal-data/logs',
  about:
    'Lists who changed one object that holds personal data, when and what, the newest first. The filter must name the object: `eq(resource_type,customer):eq(resource_id,<id>)`.',
  area: 'personal-data',
  status: 200,
  // Not of a resource: without the filter there is no list.
  shows: { page: true },

  async run(ctx, call) {
    const { ask, entry } = askAboutEntry(call)
    const realm = entry.type === 'account-member' ? await accountRealmId(ctx) : undefined
    const page = await fetchPage(
      ctx,
      {
        resource: personalDataChanges,
        scope: [entry.id],
        where: (bind) => {
          const ofType = `feed_type = ${bind(feedTypes[entry.type])}`
          return realm ? `${ofType} AND parent_id = ${bind(realm)}::uuid` : ofType
        },
      },
      ask,
    )
    const changes = page.rows.map(changeOf)
    const initiatorOf = await initiatorsOf(
      ctx,
      changes.map(({ actor }) => actor),
    )
    const rows = page.rows.map((row, i) => {
      const change = changes[i] as Change
      return { ...row, text: JSON.stringify(shown(ctx, entry, row, change, initiatorOf(change.actor))) }
    })
    return listAnswer(personalDataChanges, { ...page, rows }, ctx, call)
  },
})

const changeOf = ({ text }: Row) => JSON.parse(text) as Change

function shown(ctx: Ctx, entry: DataEntry, row: Row, change: Change, initiator: Initiator) {
  const path = resourcePath(entry, change)
  return {
    store_id: ctx.store.id,
    initiator,
    time: row.createdAt,
    event_type: `${entry.type}.event.${change.kind}`,
    delta: deltaOf(entry, change),
    resource_id: entry.id,
    resource_type: entry.type,
    ...(path && { relationships: { resource_path: { url: ctx.baseUrl + path } } }),
  }
}

/**
 * The fields that have other values than before; null for one that is gone. Empty when nothing that is shown has
 * changed: a password, for example. The oldest change that is still kept has all fields.
 */
function deltaOf({ type, id }: DataEntry, { kind, before, after }: Change): Values {
  if (!after) return {}
  if (kind === 'created') return { id, type, ...after }
  const known = before ?? {}
  const names = [...new Set([...Object.keys(known), ...Object.keys(after)])]
  const changed = names.filter((name) => !isDeepStrictEqual(known[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
