import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasSecret, type Principal } from '../auth/principal.ts'
import type { Operation } from '../declare/operation.ts'
import { prefers } from '../http/prefer.ts'
import { areExported, counter, gauge, histogram } from '../metrics/metrics.ts'
import type { Answer } from '../shape/answer.ts'
import type { Database, Sql } from '../storage/database.ts'
import { currentTimings } from '../traces/scopes.ts'
import { inRequestSpan } from '../traces/spans.ts'
import { Timings } from '../traces/timings.ts'
import { callerOf, traceOfLog } from '../traces/trace-context.ts'
import type { Instance } from '../work/context.ts'

const requests = counter('sutler_http_requests_total', 'Requests, by operation and status.', [
  'operation',
  'status',
])

const seconds = histogram(
  'sutler_http_request_seconds',
  'The time from the headers of a request until its response was handed to the system.',
  ['operation'],
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

const inFlight = gauge('sutler_http_in_flight', 'Requests whose response has not ended.')

const refusals = counter('sutler_http_refused_total', 'Responses with an error, by its reason.', ['reason'])

/** Counts a refusal by the reason of its problem. */
export const countRefusal = (reason: string): void => refusals.inc({ reason })

/** As nginx logs it: the client hung up before a response. */
const hungUpStatus = 499

/** Counts a request until its response ends, where someone reads the counts. */
export function countRequest(response: ServerResponse, operation: string): void {
  if (!areExported()) return
  const beganMs = performance.now()
  inFlight.inc()
  response.once('close', () => {
    inFlight.dec()
    requests.inc({ operation, status: response.headersSent ? response.statusCode : hungUpStatus })
    seconds.observe({ operation }, (performance.now() - beganMs) / 1000)
  })
}

/**
 * Runs a request in its span, measures where its time goes, and logs it if it is slow. `run` says when it is answered.
 */
export function observe<T>(
  instance: Instance,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (timings: Timings) => Promise<T>,
): Promise<T> {
  const { traceparent, tracestate } = request.headers
  const timings = new Timings()
  const describe = () => ({
    ...{ 'http.request.method': request.method, 'http.route': operation.path },
    'sutler.request_id': request.id,
  })
  const caller = traceparent === undefined ? undefined : callerOf(traceparent, tracestate)
  return inRequestSpan(operation.id, caller, timings, describe, () => {
    const trace = traceOfLog()
    reply.raw.once('close', () => {
      timings.isOver = true
      if (timings.totalMs >= instance.slowMs)
        logSlow(instance, timings, { operation: operation.id, request_id: request.id, ...trace })
    })
    return run(timings)
  })
}

/** `Prefer: timing` asks where the time went. Shoppers are not told: it says how a store is used. */
export function withTimings(answer: Answer, { headers }: FastifyRequest, who: Principal): Answer {
  const timings = currentTimings()
  if (!timings || !hasSecret(who) || !prefers(headers, 'timing')) return answer
  return { ...answer, headers: { ...answer.headers, 'server-timing': timings.header } }
}

function logSlow(instance: Instance, timings: Timings, about: Readonly<Record<string, string>>): void {
  const { log } = instance
  log.info({ ...about, ...timings.details }, 'slow request')
  const { slowest } = timings
  if (!slowest || !log.isLevelEnabled('debug')) return
  const { text: statement, ms } = slowest
  explain(instance.database, slowest).then(
    (plan) => log.debug({ ...about, statement, ms, plan }, 'the slowest statement of a slow request'),
    (error: unknown) =>
      log.debug({ ...about, statement, ms, err: error }, 'the slowest statement has no plan'),
  )
}

const explained = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/**
 * The plan that PostgreSQL has for a statement, without running it. Texts of the plan may be values of a client, so
 * they are left out.
 */
async function explain(
  database: Database,
  { text, values }: Pick<Sql, 'text' | 'values'>,
): Promise<readonly string[]> {
  if (!explained.test(text)) return []
  const rows = await database.run({ text: `EXPLAIN ${text}`, values, once: true })
  return rows.map(([line]) => withoutValues(line ?? ''))
}

/** PostgreSQL doubles a quote inside of a literal. */
const withoutValues = (line: string): string => line.replace(/'(?:[^']|'')*'/g, `'?'`)
