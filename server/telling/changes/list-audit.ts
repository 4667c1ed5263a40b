import { action } from '../../kernel/declare/action.ts'
import { type FeedChange, feedBounds, findBefore } from '../../kernel/feed/changes.ts'
import { sequence } from '../../kernel/feed/sequence.ts'
import { exportBatches } from '../../kernel/request/export-list.ts'
import { type Answer, json } from '../../kernel/shape/answer.ts'
import { integer, text } from '../../kernel/shape/fields.ts'
import type { Model } from '../../kernel/shape/model.ts'
import { about, orNull, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { changeFacts, factsOf, shownDoc, storedFields } from './change-text.ts'
import { type DeltaValues, deltaOf } from './delta.ts'
import { besideEntries, type FeedQuery, filterField, readFeedQuery, refuseLimit } from './feed-query.ts'
import { earlierChanges } from './follow.ts'
import { findInitiators, initiator } from './initiators.ts'
import { noteReads } from './note-reads.ts'

const position = shown.as<number>({ type: 'integer', minimum: 0 })

const entry = shown.group({
  type: shown.constant('audit_entry'),
  ...changeFacts,
  initiator,
  before: about(
    'The fields before the change; null for a creation, and for the oldest change that is kept.',
    storedFields,
  ),
  after: about('The fields after the change; null for a deletion.', storedFields),
  delta: about('The fields whose values changed.', shown.object),
})

const page = shown.group({
  data: shown.list(entry),
  meta: shown.group({
    page: shown.group({ limit: position }),
    feed: shown.group({ oldest: position, last: position, reached: position }),
  }),
  links: shown.group({ current: shown.text, next: orNull(shown.text) }),
})

export const listAudit = (modelOf: ModelOf) =>
  action({
    name: 'list-audit-entries',
    route: 'GET /v2/audit',
    about:
      'Lists who changed what, and when, with the fields before and after, the newest first. As NDJSON or CSV all of it is sent. A page may be short, or empty, while `links.next` goes on: each request looks at a part of the history.',
    area: 'changes',
    status: 200,
    query: {
      'page[after]': text({
        about: 'The position of the last entry that the client has: the list goes on with older ones.',
        example: '1',
      }),
      'page[limit]': integer({
        min: 0,
        max: 100,
        about: 'The most entries in a response: 100 by default.',
        example: 25,
      }),
      filter: filterField,
    },
    headers: {
      Accept: text({
        about: '`application/x-ndjson` or `text/csv` for all entries, as lines.',
        example: 'application/x-ndjson',
      }),
    },
    shows: { body: page, lines: true },

    async run(request, call) {
      const ctx = request.onPrimary()
      const query = readFeedQuery(call.query)
      const { after = Number.MAX_SAFE_INTEGER, most } = query
      if (query.after === undefined) await sequence(ctx.store)
      if (ctx.lines) return exportAudit(ctx, query, modelOf)
      const { entries, ...found } = await entriesOf(ctx, query, after, modelOf)
      const { meta, links } = besideEntries(ctx, call, query, found)
      const isLast = found.reached <= found.end || most === 0
      const shown: ShownValue<typeof page> = {
        data: entries,
        meta,
        links: isLast ? { ...links, next: null } : links,
      }
      return json(200, shown)
    },
  })

/** Knows the model of a table. */
type ModelOf = (table: string) => Model | undefined

/** The next entries before a position. */
async function entriesOf(ctx: Ctx, { filter, most }: FeedQuery, from: number, modelOf: ModelOf) {
  const { changes, ...bounds } = await earlierChanges(ctx, from, filter, most)
  const before = await findBefore(ctx.store, changes)
  const initiatorOf = await findInitiators(
    ctx,
    changes.map(({ actor }) => actor),
  )
  noteReads(ctx, changes, modelOf)
  const entries = changes.map((change): ShownValue<typeof entry> => {
    const [earlier, later] = [valuesOf(change, before.get(change)), valuesOf(change, change.doc)]
    const states = { before: earlier, after: later, delta: deltaOf(earlier, later) }
    return { type: 'audit_entry', ...factsOf(change), initiator: initiatorOf(change.actor), ...states }
  })
  return { ...bounds, entries }
}

/** All entries before a position, or up to the end that the feed has now. */
async function exportAudit(ctx: Ctx, query: FeedQuery, modelOf: ModelOf): Promise<Answer> {
  refuseLimit(query)
  const { last } = await feedBounds(ctx.store)
  async function* read(inside: Ctx) {
    let isLast = false
    for (let position = query.after ?? last + 1; !isLast; ) {
      const { entries, reached, end } = await entriesOf(inside, query, position, modelOf)
      yield entries.map((one) => JSON.stringify(one))
      isLast = reached <= end
      position = reached
    }
  }
  return exportBatches(ctx, { shown: entry, position: last, read })
}

function valuesOf({ event }: FeedChange, doc: string | undefined): DeltaValues | null {
  const shown = shownDoc({ event, doc })
  return shown === undefined ? null : (JSON.parse(shown) as DeltaValues)
}
