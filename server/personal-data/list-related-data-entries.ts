import { action } from '../kernel/declare/action.ts'
import { resource } from '../kernel/declare/resource.ts'
import { sequence } from '../kernel/feed/sequence.ts'
import { newId } from '../kernel/ids.ts'
import { answerList } from '../kernel/request/export-list.ts'
import { shown } from '../kernel/shape/shown.ts'
import { entryQuery, findRoot, parseEntryQuery } from './data-entries.ts'
import { personalDataEnvelope } from './personal-data-envelope.ts'
import { findParts, type Register } from './register.ts'

const relatedDataEntriesIn = ({ entries }: Register) =>
  resource({
    type: 'related_data_entry',
    noun: ['related-data-entry', 'related-data-entries'],
    about: 'An object with personal data about the same person or account.',
    path: '/v2/personal-data/related-data-entries',
    table: entries,
    scope: { columns: ['root_id'] },
    fields: {},
    area: 'personal-data',
    envelope: personalDataEnvelope,
    operations: [],
  })

const relatedDataEntry = shown.group({
  type: shown.constant('related_data_entry'),
  id: shown.uuid,
  resource_type: shown.text,
  resource_id: shown.uuid,
})

export function listRelatedDataEntries(register: Register) {
  const relatedDataEntries = relatedDataEntriesIn(register)
  return action({
    name: 'list-related-data-entries',
    route: 'GET /v2/personal-data/related-data-entries',
    about:
      'Lists the objects with personal data about the same person or account: an erasure request for one of them erases all of them.',
    area: 'personal-data',
    status: 200,
    query: entryQuery(register),
    // It shows no resource, because the list needs a filter.
    shows: { page: true, data: relatedDataEntry },

    async run(ctx, call) {
      const { query, entry } = parseEntryQuery(register, call)
      await sequence(ctx.store)
      const root = await findRoot(ctx, register, entry)
      const parts = await findParts(ctx, register)
      const source = {
        resource: relatedDataEntries,
        scope: [root ?? newId()],
        where: (bind: (value: unknown) => string) =>
          `NOT (resource_type = ${bind(entry.type)} AND resource_id = ${bind(entry.id)}::uuid)
           AND (part IS NULL OR part = ANY(${bind(parts)}::uuid[]))`,
      }
      return answerList(ctx, call, { source, shown: relatedDataEntry }, { query })
    },
  })
}
