import { type Action, action } from '../../kernel/declare/action.ts'
import { listing } from '../../kernel/declare/listing.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { get, list } from '../../kernel/request/operations.ts'
import { findFlow, flowName } from './find-flow.ts'
import { flowFields } from './flow-fields.ts'

/** The same rows, at addresses with the flow. */
const fieldsBelow = listing(flowFields, {
  noun: ['field-of-flow', 'fields-of-flow'],
  scope: { columns: ['flow_id'] },
  // A flow has at most a hundred fields.
  counted: false,
})

/** Lists the fields of a flow by its slug. Clients also call them attributes. */
export const listFieldsOfFlow: readonly Action[] = (['fields', 'attributes'] as const).map((word) =>
  action({
    name: `list-${word}-of-flow`,
    route: `GET /v2/flows/:flow_id/${word}`,
    about: 'Lists all fields of a flow, the newest first.',
    area: 'flows',
    params: { flow_id: flowName },
    status: 200,
    shows: { page: true, resource: flowFields, rows: [fieldsBelow] },
    async run(ctx, { rawBody: _, ...call }) {
      const { id } = await findFlow(ctx, call.params.flow_id)
      return list(ctx, fieldsBelow, [id], call)
    },
  }),
)

/** Reads a field at the address of its self link. */
export const getFieldOfFlow = action({
  name: 'get-field-of-flow',
  route: 'GET /v2/flows/:flow_id/fields/:id',
  about: 'Reads a field of a flow.',
  area: 'flows',
  params: { flow_id: flowName },
  status: 200,
  shows: { resource: flowFields },
  async run(ctx, { rawBody: _, ...call }) {
    const flow = await findFlow(ctx, call.params.flow_id)
    const id = call.params.id.toLowerCase()
    const [row] = isId(id)
      ? await ctx.store.read(
          'SELECT id FROM flow_fields WHERE store_id = $1 AND id = $2 AND flow_id = $3',
          id,
          flow.id,
        )
      : []
    if (!row) throw notFound('flow field', call.params.id)
    return get(ctx, flowFields, [], id, call)
  },
})
