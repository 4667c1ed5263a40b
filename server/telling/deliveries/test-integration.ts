import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { choice } from '../../kernel/shape/fields.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { integrations } from '../integrations/integrations.ts'
import { EventContent } from '../targets/message.ts'
import { openNetwork } from '../targets/network.ts'
import { send } from '../targets/send.ts'
import { aboutEndpoint, findEndpoints } from './endpoints.ts'

/**
 * How many tests a process runs at a time: each may hold its request for ten seconds. A store has few of them, so that
 * it cannot keep others from theirs.
 */
const testsMax = { ofStore: 4, total: 64 } as const

/** How many tests each store runs. It has a store only while one of its tests runs. */
class Testing {
  readonly #byStore = new Map<string, number>()
  #total = 0

  /** Counts a test until the returned function is called; refuses one too many. */
  begin(storeId: string): () => void {
    const own = this.#byStore.get(storeId) ?? 0
    if (own >= testsMax.ofStore || this.#total >= testsMax.total)
      throw new Problem('rate_limited', 'Too many tests are running; try again in a second.', {
        headers: { 'Retry-After': '1' },
      })
    this.#count(storeId, own + 1, 1)
    return () => this.#count(storeId, (this.#byStore.get(storeId) ?? 1) - 1, -1)
  }

  #count(storeId: string, own: number, change: number): void {
    if (own > 0) this.#byStore.set(storeId, own)
    else this.#byStore.delete(storeId)
    this.#total += change
  }
}

const testing = perInstance(() => new Testing())

const result = shown.group({
  type: choice(['integration-test'], { required: true }),
  succeeded: shown.flag,
  status_code: shown.integer,
  body: shown.text,
  error_detail: shown.text,
  processing_time: shown.number,
})

export const testIntegration = action({
  name: 'test-integration',
  route: 'POST /v2/integrations/:id/test',
  about:
    'Sends an event with the key `integration.test` to the target of an integration, once, also of a disabled one, and ' +
    'responds with the outcome. It is not logged, and changes nothing.',
  area: 'integrations',
  status: 200,
  ownTransactions: true,
  cannotRehearse: 'All that it does is to send a request to another server.',
  refuses: ['rate_limited'],
  shows: { data: result },
  async run(ctx, { params }) {
    const { id } = await findByName(ctx, integrations, params.id)
    const endpoint = (await findEndpoints(ctx, [id], 'all')).get(id)
    // Deleted since the line above.
    if (!endpoint) throw notFound('integration', params.id)
    const leave = testing(ctx.instance).begin(ctx.store.id)
    const payload = JSON.stringify({ data: { type: 'integration', id, name: endpoint.integration.name } })
    const network = openNetwork(ctx.instance.maySendTo)
    try {
      const outcome = await send(network, endpoint.target, {
        ...aboutEndpoint(ctx, endpoint),
        ...{ eventId: newId(), key: 'integration.test', subject: `integrations:${id}`, attempt: 1 },
        content: new EventContent(payload, { whole: payload, short: payload }, false),
      })
      const data: ShownValue<typeof result> = {
        type: 'integration-test',
        succeeded: outcome.succeeded,
        status_code: outcome.statusCode,
        body: outcome.body,
        error_detail: outcome.errorDetail,
        processing_time: outcome.processingTimeS,
      }
      return json(200, { data })
    } finally {
      leave()
      network.close()
    }
  },
})
