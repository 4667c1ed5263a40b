import { action } from '../kernel/declare/action.ts'
import { listAnswer } from '../kernel/http/object-answer.ts'
import { objectOf } from '../kernel/openapi/named-schemas.ts'
import { fetchPage } from '../kernel/query/page.ts'
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
      const page = await fetchPage(
        ctx,
        {
          resource: requests,
          scope: [],
          where: (bind) => `resource_id = ${bind(entry.id)}::uuid AND resource_type = ${bind(entry.type)}`,
        },
        query,
      )
      return listAnswer(requests, page, ctx, call)
    },
  })
