import { action } from '../../kernel/declare/action.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { integrations } from './integrations.ts'

/** Deletes an integration. Events that wait for it are not sent; its logs stay. */
export const deleteIntegration = action({
  name: 'delete-integration',
  route: 'DELETE /v2/integrations/:id',
  about: 'Deletes an integration. Events that wait for it are not sent; its logs stay until they are old.',
  area: 'integrations',
  status: 200,
  refuses: ['precondition_failed'],
  shows: { body: null },
  async run(ctx, call) {
    const id = await resolveId(ctx, integrations, [], call.params.id)
    // The public contract has a 200 here, without a body.
    return { ...(await remove(ctx, integrations, [], id, call)), status: 200 }
  },
})
