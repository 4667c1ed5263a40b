import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { operationTraits, representativesOf } from '../classes.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  // Responses of samples are short.
  world = await openWorld({ ...appAndWorkshop, env: { SUTLER_COMPRESS: 'true' }, compressedCharsMin: 1 })
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

/** A request whose response stays as it was sent: fetch would unpack it. */
async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  const all = { authorization: `Bearer ${world.admin.token}`, 'content-type': 'application/json', ...headers }
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  request(world.url + path, { method, headers: all }, resolve)
    .on('error', reject)
    .end(body)
  const reply = await promise
  const bytes = await buffer(reply)
  return { status: reply.statusCode, headers: reply.headers, bytes, trailers: reply.trailers }
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const
const codings = Object.keys(unpack) as (keyof typeof unpack)[]

/** What differs between two responses to the same request, in any coding. */
const ofOneResponse = ['date', 'x-request-id', 'content-encoding', 'content-length', 'transfer-encoding']
const kept = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => ![...ofOneResponse, 'sutler-watermark'].includes(name)),
  )

const called = new Set<string>()

const reads = operations.filter(({ access }) => access === 'read')

describe.each(representativesOf(reads, operationTraits))('$id', (operation) => {
  test('responds the same in each coding', async () => {
    const { path, body } = await samples.call(operation)
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const plain = await send(operation.method, path, { 'accept-encoding': 'identity' }, sent)
    expect(plain.headers['content-encoding']).toBeUndefined()
    if (plain.status !== 200 || !/json|csv/.test(plain.headers['content-type'] ?? '')) return
    for (const coding of codings) {
      const coded = await send(operation.method, path, { 'accept-encoding': coding }, sent)
      expect([coded.status, coded.headers['content-encoding']]).toEqual([200, coding])
      expect(kept(coded.headers)).toEqual(kept(plain.headers))
      expect(unpack[coding](coded.bytes).toString()).toBe(plain.bytes.toString())
      called.add(operation.id)
      const { etag } = coded.headers
      if (operation.method !== 'GET') continue
      const head = await send('HEAD', path, { 'accept-encoding': coding })
      expect([head.headers['content-encoding'], head.headers.etag, head.bytes.length]).toEqual([
        ...[coding, etag, 0],
      ])
      if (etag === undefined) continue
      const again = await send('GET', path, { 'accept-encoding': 'identity', 'if-none-match': etag })
      expect([again.status, again.headers.etag, again.headers.vary]).toEqual([304, etag, coded.headers.vary])
    }
  })
})

test('the law above holds lists, catalog pages and objects', () => {
  const ids = [...called]
  for (const kind of [/^list-/, /^get-/]) expect(ids, `${kind}`).toContainEqual(expect.stringMatching(kind))
})

test('access tokens and new keys are not compressed', async () => {
  const { id, secret } = world.key
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'br, gzip' }
  const reply = await send('POST', '/oauth/access_token', type, body.toString())
  expect([reply.status, reply.headers['content-encoding']]).toEqual([200, undefined])
  const key = JSON.stringify({ data: { type: 'application_key', name: 'Another shop' } })
  const created = await send('POST', '/v2/application-keys', { 'accept-encoding': 'br, gzip' }, key)
  expect([created.status, created.headers['content-encoding']]).toEqual([201, undefined])
  expect(JSON.parse(created.bytes.toString()).data.client_secret).toMatch(/./)
})

const accepted: readonly (readonly [accepts: string, coding: string | undefined])[] = [
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;Q=0.5', 'gzip'],
  ['br;q=0.2, gzip;q=0.9', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['deflate, zstd', undefined],
  ['', undefined],
  [`gzip,${'x'.repeat(3000)}`, undefined],
]

test.each(accepted)('Accept-Encoding: %s gets %s', async (accepts, coding) => {
  const { headers } = await send('GET', '/v2/accounts', { 'accept-encoding': accepts })
  expect(headers['content-encoding']).toBe(coding)
})

describe.each(codings)('in %s', (coding) => {
  test('a page that is made while it is sent, and its export, are what they are without', async () => {
    const flow = await makeFlow(world.admin, `letters-${coding}`, { text: { field_type: 'string' } })
    for (let n = 0; n < 12; n++) {
      const data = { type: 'entry', text: `${n} ${'abcdefgh'.repeat(8000)}` }
      await world.admin.post(flow.entries, { data })
    }
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const plain = await send('GET', flow.entries, { accept })
      const coded = await send('GET', flow.entries, { accept, 'accept-encoding': coding })
      expect([plain.bytes.length > 600_000, coded.headers['content-encoding']]).toEqual([true, coding])
      expect(unpack[coding](coded.bytes).equals(plain.bytes)).toBe(true)
      expect(coded.trailers).toEqual(plain.trailers)
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 20)
    }
  })

  test.each(['/openapi.json', '/docs/', '/docs/js/scalar.js'])('%s is kept', async (path) => {
    const plain = await send('GET', path, {})
    const coded = await send('GET', path, { 'accept-encoding': coding })
    expect(coded.headers['content-encoding']).toBe(coding)
    expect(unpack[coding](coded.bytes).equals(plain.bytes)).toBe(true)
    expect(kept(coded.headers)).toEqual(kept(plain.headers))
    expect(coded.headers.vary).toMatch(/Accept-Encoding/)
    const { etag = '' } = plain.headers
    const again = await send('GET', path, { 'accept-encoding': coding, 'if-none-match': etag })
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag])
  })
})

test('made-up addresses of the server get its document, and none of them is kept compressed', async () => {
  const seen: (string | undefined)[] = []
  for (let n = 0; n < 12; n++) {
    const host = `made-up-${n}.example`
    const reply = await send('GET', '/openapi.json', { host, 'accept-encoding': 'gzip' })
    seen.push(reply.headers['content-encoding'])
    const text = reply.headers['content-encoding'] ? gunzipSync(reply.bytes) : reply.bytes
    expect(JSON.parse(text.toString()).servers).toEqual([{ url: `http://${host}` }])
  }
  expect(seen.slice(-4)).toEqual([undefined, undefined, undefined, undefined])
})

test('SUTLER_COMPRESS=false compresses no list, catalog page or export', async () => {
  const plain = await openWorld({ env: { SUTLER_COMPRESS: 'false' }, compressedCharsMin: 1 })
  const headers = { authorization: `Bearer ${plain.admin.token}`, 'accept-encoding': 'br, gzip' }
  for (const accept of ['application/json', 'application/x-ndjson']) {
    const reply = await fetch(`${plain.url}/v2/currencies`, { headers: { ...headers, accept } })
    expect([reply.status, reply.headers.get('content-encoding')]).toEqual([200, null])
  }
  await plain.close()
})
