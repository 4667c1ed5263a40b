import { mayDo } from '../auth/access.ts'
import type { Operation } from '../declare/operation.ts'
import type { Answer } from '../shape/answer.ts'
import type { Instance } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'

interface CachedResponse {
  readonly operation: Operation
  readonly answer: Answer
  readonly instance: Instance
}

const never = 'no-store'
/** The client may keep it, and asks again before each use. */
const untilAskedAgain = 'private, no-cache'

/** How clients and caches may keep the response of an operation (RFC 9111): the first row that applies. */
const ways: readonly (readonly [way: string, applies: (response: CachedResponse) => boolean])[] = [
  [never, ({ operation, answer }) => operation.method !== 'GET' || ![200, 304].includes(answer.status)],
  [untilAskedAgain, ({ answer }) => answer.headers?.etag !== undefined],
  // Exports. A long page is a stream too, and is kept as a short one.
  [never, ({ answer }) => answer.trailers !== undefined],
  // What anonymous shoppers read of a store is personal to nobody.
  [untilAskedAgain, ({ operation, instance }) => mayDo(instance.access, 'implicit', operation.area, 'read')],
]

/** What every response says unless it says otherwise: refusals too, and responses of no operation. */
export const unkept: Readonly<Record<string, string>> = {
  'cache-control': never,
  // Prevents browsers from guessing another type and running a script in the response.
  'x-content-type-options': 'nosniff',
}

/** The response with the way to keep it, unless it has one of its own, as files do. */
export function withCaching(response: CachedResponse): Answer {
  const { answer } = response
  const way = ways.find(([, applies]) => applies(response))?.[0] ?? never
  if (way === never || answer.headers?.['cache-control'] !== undefined) return answer
  return { ...answer, headers: { ...answer.headers, 'cache-control': way, vary: variesBy(response) } }
}

const headersByOperation = perInstance(() => new WeakMap<Operation, string>())

/** The headers of a request that change its response. A client that keeps one for each shopper compares them. */
function variesBy({ operation, instance }: CachedResponse): string {
  const known = headersByOperation(instance).get(operation)
  if (known !== undefined) return known
  const { of, alternative } = operation
  const declared = of.is === 'action' ? Object.keys(of.action.headers ?? {}) : []
  const tokens = instance.shopperTokens.map(({ header }) => header)
  const other = alternative ? [alternative.header] : []
  const names = [
    'Origin',
    'Accept',
    'Accept-Encoding',
    'Authorization',
    ...tokens,
    ...declared,
    ...other,
  ].join(', ')
  headersByOperation(instance).set(operation, names)
  return names
}
