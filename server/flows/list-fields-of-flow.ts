import { action } from '../kernel/action.ts'
import { list } from '../kernel/operations.ts'
import type { Resource } from '../kernel/resource.ts'
import { findFlow } from './find-flow.ts'

/** The fields of one flow, which is called by its slug. */
export const listFieldsOfFlow = (fields: Resource) =>
  action({
    name: 'list-fields-of-flow',
    route: 'GET /v2/flows/:flow_id/fields',
    about: 'Lists the fields of a flow, a page at a time, the newest first.',
    area: 'flows',
    status: 200,
    shows: { page: true },
    async run(ctx, { rawBody: _, ...call }) {
      const { id } = await findFlow(ctx, call.params.flow_id)
      return list(ctx, fields, [], call, (bind) => `flow_id = ${bind(id)}::uuid`)
    },
  })
