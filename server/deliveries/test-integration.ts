import { integrations } from '../integrations/index.ts'
import { action } from '../kernel/declare/action.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { object } from '../kernel/openapi/shapes.ts'
import { findByName } from '../kernel/query/find.ts'
import { json } from '../kernel/shape/answer.ts'
import type { Work } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import { openNetwork, send } from '../targets/index.ts'
import { aboutEndpoint, findEndpoints } from './endpoints.ts'

/**
 * How many tests a process runs at a time: each may hold its request for ten seconds. A store has few of them, so that
 * it cannot keep others from theirs.
 */
const testsMax = { ofStore: 4, total: 64 } as const

/** How many tests run, by their stores. */
const testing = perInstance(() => new Map<string, number>())

/** Counts a test of a store until the returned function is called; refuses one too many. */
function takeTurn({ instance, store }: Work): () => void {
  const running = testing(instance)
  const own = running.get(store.id) ?? 0
  const total = running.values().reduce((sum, n) => sum + n, 0)
  if (own >= testsMax.ofStore || total >= testsMax.total)
    throw new Problem('rate_limited', 'Too many tests are running; try again in a second.', {
      headers: { 'Retry-After': '1' },
    })
  running.set(store.id, own + 1)
  return () => {
    const left = (running.get(store.id) ?? 1) - 1
    if (left > 0) running.set(store.id, left)
    else running.delete(store.id)
  }
}

const result = object({
  type: { type: 'string', enum: ['integration-test'] },
  succeeded: { type: 'boolean' },
  status_code: { type: 'integer' },
  body: { type: 'string' },
  error_detail: { type: 'string' },
  processing_time: { type: 'number' },
})

/** Sends an event that did not happen to the target of an integration, and shows the outcome. */
export const testIntegration = action({
  name: 'test-integration',
  route: 'POST /v2/integrations/:id/test',
  about:
    'Sends an event with the key `integration.test` to the target of an integration, once, also of a disabled one, and ' +
    'responds with the outcome. It is not logged, and changes nothing.',
  area: 'integrations',
  status: 200,
  ownTransactions: true,
  refuses: ['rate_limited'],
  shows: { data: result },
  async run(ctx, { params }) {
    const { id } = await findByName(ctx, integrations, params.id)
    const endpoint = (await findEndpoints(ctx, [id], 'all')).get(id)
    // Deleted since the line above.
    if (!endpoint) throw notFound('integration', params.id)
    const leave = takeTurn(ctx)
    const payload = JSON.stringify({ data: { type: 'integration', id, name: endpoint.integration.name } })
    const network = openNetwork(ctx.instance.maySendTo)
    try {
      const outcome = await send(network, endpoint.target, {
        ...aboutEndpoint(ctx, endpoint),
        ...{ eventId: newId(), key: 'integration.test', subject: `integrations:${id}`, attempt: 1 },
        ...{ payload, data: { whole: payload, short: payload }, isDeletion: false },
      })
      const data = {
        ...{ type: 'integration-test', succeeded: outcome.succeeded, status_code: outcome.statusCode },
        ...{
          body: outcome.body,
          error_detail: outcome.errorDetail,
          processing_time: outcome.processingTimeS,
        },
      }
      return json(200, { data })
    } finally {
      leave()
      network.close()
    }
  },
})
