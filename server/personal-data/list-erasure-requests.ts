import { action } from '../kernel/declare/action.ts'
import { objectOf } from '../kernel/openapi/named-schemas.ts'
import { answerList } from '../kernel/request/export-list.ts'
import { parseEntryQuery } from './data-entries.ts'
import { entryQuery } from './entry-query.ts'
import type { ErasureRequests } from './erasure-requests.ts'
import type { Register } from './register.ts'

export const listErasureRequests = (register: Register, requests: ErasureRequests) =>
  action({
    name: 'list-erasure-requests',
    route: 'GET /v2/personal-data/erasure-requests',
    about: 'Lists the erasure requests for one object, the newest first.',
    area: 'personal-data',
    status: 200,
    query: entryQuery(register),
    // It shows no resource, because the list needs a filter.
    shows: { page: true, data: objectOf(() => requests) },

    async run(ctx, call) {
      const { query, entry } = parseEntryQuery(register, call)
      const source = {
        resource: requests,
        scope: [],
        where: (bind: (value: unknown) => string) =>
          `resource_id = ${bind(entry.id)}::uuid AND resource_type = ${bind(entry.type)}`,
      }
      return answerList(ctx, call, { source }, { query })
    },
  })
