import { action } from '../kernel/action.ts'
import { listAnswer } from '../kernel/http/answer.ts'
import { fetchPage } from '../kernel/query/page.ts'
import { askAboutEntry } from './data-entries.ts'
import { erasureRequests } from './erasure-requests.ts'

export const listErasureRequests = action({
  name: 'list-erasure-requests',
  route: 'GET /v2/personal-data/erasure-requests',
  about:
    'Lists the erasure requests for one object, the newest first. The filter must name the object: `eq(resource_type,customer):eq(resource_id,<id>)`.',
  area: 'personal-data',
  status: 200,
  // Not of a resource: without the filter there is no list.
  shows: { page: true },

  async run(ctx, call) {
    const { ask, entry } = askAboutEntry(call)
    const page = await fetchPage(
      ctx,
      {
        resource: erasureRequests,
        scope: [],
        where: (bind) => `resource_id = ${bind(entry.id)}::uuid AND resource_type = ${bind(entry.type)}`,
      },
      ask,
    )
    return listAnswer(erasureRequests, page, ctx, call)
  },
})
