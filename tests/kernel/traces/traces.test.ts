import { afterAll, beforeAll, expect, test } from 'vitest'
import { callerOf } from '../../../server/kernel/traces/trace-context.ts'
import { png, upload } from '../../builders/store/uploads.ts'
import { openHook } from '../../builders/telling/hooks.ts'
import { openCollector, type ReceivedSpan } from '../../support/otlp-receiver.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let collector: Awaited<ReturnType<typeof openCollector>>
let world: World
beforeAll(async () => {
  collector = await openCollector()
  world = await openWorld({
    alone: true,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key' },
  })
})
afterAll(async () => {
  await world.close()
  await collector.close()
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`

const spansOf = (id: string): readonly ReceivedSpan[] => collector.spans.filter((span) => span.traceId === id)

/** Waits until the collector has the last span of a trace, which is its request. */
const received = (id: string, name: string) =>
  until(async () => (spansOf(id).some((span) => span.name === name) ? spansOf(id) : undefined))

test('a request continues the trace of its caller, and its statements are its children', async () => {
  await world.admin.get('/v2/accounts?filter=eq(name,Topsecret)', { traceparent })
  const spans = await received(traceId, 'list-accounts')
  const request = spans.find(({ name }) => name === 'list-accounts') as ReceivedSpan
  expect(request.parentSpanId).toBe(spanId)
  expect(request.attributes).toMatchObject({ 'http.request.method': 'GET', 'http.route': '/v2/accounts' })
  const statements = spans.filter(({ attributes }) => attributes['db.system.name'])
  expect(statements.map(({ name }) => name).join()).toMatch(/accounts/)
  for (const statement of statements) expect(statement.parentSpanId).toBe(request.spanId)
  expect(collector.requests[0]).toEqual({ path: '/v1/traces', key: 'a key' })
})

test('no span has a value of a client', () => {
  expect(collector.spans.length).toBeGreaterThan(0)
  expect(JSON.stringify(collector.spans)).not.toContain('Topsecret')
})

test('a write has a span for its transaction, which holds its statements', async () => {
  const id = traceId.replaceAll('4', '5')
  const headers = { traceparent: `00-${id}-${spanId}-01`, 'idempotency-key': 'a write in a span' }
  const data = { type: 'account', name: 'Traced' }
  expect((await world.admin.post('/v2/accounts', { data }, headers)).status).toBe(201)
  const spans = await received(id, 'create-account')
  const [request] = spans.filter(({ name }) => name === 'create-account')
  const [transaction] = spans.filter(({ name }) => name === 'transaction')
  expect(transaction?.parentSpanId).toBe(request?.spanId)
  expect(spans.filter(({ parentSpanId }) => parentSpanId === transaction?.spanId).length).toBeGreaterThan(1)
})

test('a delivery is a span with the id of the request, which its endpoint can continue', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  const made = await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'Delivered' } })
  const [message] = await hook.got(1)
  const [, trace = '', span = ''] = String(message?.headers.traceparent).split('-')
  await received(trace, 'deliver account.created')
  const [delivery] = spansOf(trace)
  expect(delivery).toMatchObject({
    spanId: span,
    parentSpanId: '',
    attributes: {
      'messaging.system': 'webhook',
      'sutler.request_id': made.headers.get('x-request-id'),
    },
  })
  await hook.remove()
})

test('a job is a trace of its own', async () => {
  await world.sql(`SELECT graphile_worker.add_job('kernel:merge-totals')`)
  await until(async () => collector.spans.find(({ name }) => name.startsWith('job ')))
  const job = collector.spans.find(({ name }) => name.startsWith('job ')) as ReceivedSpan
  expect(job.parentSpanId).toBe('')
})

test('a job of a request is a trace of its own, with the id of the request', async () => {
  const { body } = await upload(world, { name: 'a.png', content: png(1, 1), type: 'image/png' })
  const removed = await world.admin.delete(`/v2/files/${body.data.id}`)
  expect(removed.status).toBe(204)
  const removal = () => collector.spans.find(({ name }) => name === 'job files:remove-content')
  expect((await until(async () => removal())).attributes).toMatchObject({
    'sutler.job': 'files:remove-content',
    'sutler.request_id': removed.headers.get('x-request-id'),
  })
  expect(removal()?.parentSpanId).toBe('')
})

test('statements that nobody asked for are in no trace', () => {
  const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === '')
  expect(roots.filter(({ attributes }) => attributes['db.system.name'])).toEqual([])
})

test.for([
  [undefined, undefined],
  ['', undefined],
  ['no trace', undefined],
  [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`${traceparent}x`, undefined],
  [traceparent, { traceId, spanId, traceFlags: 1 }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, traceFlags: 0 }],
  [`cc-${traceId}-${spanId}-01-what comes later`, { traceId, spanId, traceFlags: 1 }],
] as const)('traceparent %s', ([header, caller]) => {
  const found = callerOf(header, undefined)
  if (caller) expect(found).toMatchObject(caller)
  else expect(found).toBeUndefined()
})
