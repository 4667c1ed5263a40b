import { action } from '../kernel/declare/action.ts'
import { type Change, findBefore } from '../kernel/feed/changes.ts'
import { sequence } from '../kernel/feed/record.ts'
import { listOf, object } from '../kernel/openapi/shapes.ts'
import { json } from '../kernel/shape/answer.ts'
import { integer, text } from '../kernel/shape/fields.ts'
import type { Model } from '../kernel/shape/model.ts'
import { changeFacts, factsOf, shownDoc, stored } from './change-text.ts'
import { deltaOf, type Values } from './delta.ts'
import { filterField, readFeedQuery } from './feed-query.ts'
import { earlierChanges } from './follow.ts'
import { findInitiators, initiatorSchema } from './initiators.ts'
import { noteReads } from './note-reads.ts'

const position = { type: 'integer', minimum: 0 }

const page = object({
  data: listOf(
    object({
      type: { const: 'audit_entry' },
      ...changeFacts,
      initiator: initiatorSchema,
      before: stored(
        'The fields before the change; null for a creation, and for the oldest change that is kept.',
      ),
      after: stored('The fields after the change; null for a deletion.'),
      delta: { type: 'object', additionalProperties: true, description: 'The fields whose values changed.' },
    }),
  ),
  meta: object({
    page: object({ limit: position }),
    feed: object({ oldest: position, last: position, reached: position }),
  }),
  links: object({ current: { type: 'string' }, next: { type: ['string', 'null'] } }),
})

/** Lists who changed what. `modelOf` knows the model of a table. */
export const listAudit = (modelOf: (table: string) => Model | undefined) =>
  action({
    name: 'list-audit-entries',
    route: 'GET /v2/audit',
    about:
      'Lists who changed what, and when, with the fields before and after, the newest first. A page may be short, or empty, while `links.next` goes on: see docs/changes.md.',
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
    shows: { body: page },

    async run(ctx, { query: sent, path }) {
      const { filter, most, after } = readFeedQuery(sent)
      if (after === undefined) await sequence(ctx.store)
      const { changes, last, trimmed, reached, end } = await earlierChanges(
        ctx,
        after ?? Number.MAX_SAFE_INTEGER,
        filter,
        most,
      )
      const before = await findBefore(ctx.store, changes)
      const initiatorOf = await findInitiators(
        ctx,
        changes.map(({ actor }) => actor),
      )
      noteReads(ctx, changes, modelOf)
      const data = changes.map((change) => {
        const [earlier, later] = [valuesOf(change, before.get(change)), valuesOf(change, change.doc)]
        const states = { before: earlier, after: later, delta: deltaOf(earlier, later) }
        return { type: 'audit_entry', ...factsOf(change), initiator: initiatorOf(change.actor), ...states }
      })
      const at = (text: string) => `${ctx.baseUrl}${path}${text && `?${text}`}`
      const next = new URLSearchParams(sent)
      next.set('page[after]', String(reached))
      return json(200, {
        data,
        meta: { page: { limit: most }, feed: { oldest: trimmed + 1, last, reached } },
        links: {
          current: at(new URLSearchParams(sent).toString()),
          next: reached > end && most > 0 ? at(next.toString()) : null,
        },
      })
    },
  })

function valuesOf({ event }: Change, doc: string | undefined): Values | null {
  const shown = shownDoc({ event, doc })
  return shown === undefined ? null : (JSON.parse(shown) as Values)
}
