import { action } from '../../kernel/declare/action.ts'
import { list } from '../../kernel/request/operations.ts'
import { text } from '../../kernel/shape/fields.ts'
import { flows } from './flows.ts'

/** Lists the flows of a store, or only the templates. */
export const listFlows = action({
  name: 'list-flows',
  route: 'GET /v2/flows',
  about: 'Lists all flows, the newest first.',
  area: 'flows',
  status: 200,
  query: {
    template: text({ about: 'Returns only the templates of this resource.', example: 'products' }),
  },
  shows: { resource: flows, page: true },
  async run(ctx, call) {
    const of = new URLSearchParams(call.query).get('template')
    return list(ctx, flows, [], call, of ? (bind) => `starts_with(slug, ${bind(of)} || '(')` : undefined)
  },
})
