import { randomUUID } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyBytesMax, limitsOfShoppers } from '../../../server/kernel/http/reading/body-limits.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

const account = (name: string) => JSON.stringify({ data: { type: 'account', name } })

const create = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
  world.admin.send('POST', '/v2/accounts', { body, headers })

describe('JSON under the type that curl or a browser gives it', () => {
  test.for(['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8'])(
    '%s is read as JSON',
    async (type) => {
      expect((await create(`\n ${account('Ada')}`, { 'content-type': type })).status).toBe(201)
    },
  )

  test.for([
    ['application/x-www-form-urlencoded', 'name=Ada'],
    ['text/plain', 'Ada'],
    ['text/html', account('Ada')],
    ['application/xml', account('Ada')],
  ])('%s with %j is refused', async ([type = '', body = '']) => {
    const { status, body: refusal } = await create(body, { 'content-type': type })
    expect(status).toBe(415)
    expect(refusal.errors[0].detail).toBe(`The Content-Type must be application/json, not ${type}.`)
  })

  test('faults in it are those of JSON', async () => {
    const { status, body } = await create('{', { 'content-type': 'text/plain' })
    expect([status, body.errors[0].code]).toEqual([400, 'malformed_json'])
  })
})

describe('a packed body', () => {
  const packed = (text: string) => new Uint8Array(gzipSync(text))

  test.for(['gzip', 'GZIP', 'x-gzip'])('%s is unpacked', async (coding) => {
    const { status, body } = await create(packed(account('Ada')), {
      'content-type': 'application/json',
      'content-encoding': coding,
    })
    expect([status, body.data?.name]).toEqual([201, 'Ada'])
  })

  test('an identity coding is none', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' }
    expect((await create(account('Ada'), headers)).status).toBe(201)
  })

  test.for([
    ['br', new Uint8Array(brotliCompressSync(account('Ada')))],
    ['deflate', packed(account('Ada'))],
    ['gzip, gzip', packed(account('Ada'))],
    ['zstd', packed(account('Ada'))],
  ] as const)('%s is refused by its name', async ([coding, bytes]) => {
    const { status, headers, body } = await create(bytes, {
      'content-type': 'application/json',
      'content-encoding': coding,
    })
    expect([status, body.errors[0].source, headers.get('accept-encoding')]).toEqual([
      415,
      'Content-Encoding',
      'gzip',
    ])
    expect(body.errors[0].detail).toContain(`not ${coding}.`)
  })

  test('bytes that are not gzip are refused', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const { status, body } = await create(account('Ada'), headers)
    expect([status, body.errors[0].source]).toEqual([400, 'Content-Encoding'])
  })

  test('it may be as long as others when it is unpacked', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const bomb = packed(`{"data":"${' '.repeat(100 * bodyBytesMax)}"}`)
    const { status, body } = await create(bomb, headers)
    expect([status, body.errors[0].code]).toEqual([413, 'too_large'])
  })

  test('an Idempotency-Key knows the body by its text', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const first = await create(packed(account('Ada')), { ...headers, 'content-encoding': 'gzip' })
    const again = await create(account('Ada'), headers)
    expect(again.body).toEqual(first.body)
    const other = await create(packed(account('Bea')), { ...headers, 'content-encoding': 'gzip' })
    expect(other.status).toBe(422)
  })

  test('an upload is unpacked too', async () => {
    const form = [
      ['--b', 'Content-Disposition: form-data; name="file"; filename="a.txt"', '', 'x'.repeat(5000)].join(
        '\r\n',
      ),
      '\r\n--b--\r\n',
    ].join('')
    const send = (coding: string, body: Uint8Array<ArrayBuffer>) =>
      world.admin.send('POST', '/v2/files', {
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': coding },
      })
    const { status, body } = await send('gzip', packed(form))
    expect([status, body.data?.file_size]).toEqual([201, 5000])
    expect((await send('br', packed(form))).status).toBe(415)
    const broken = await send('gzip', new Uint8Array(Buffer.from(form)))
    expect([broken.status, broken.body.errors[0].source]).toEqual([400, 'Content-Encoding'])
    const bomb = await send('gzip', packed(' '.repeat(60 * 1024 * 1024)))
    expect(bomb.status).toBe(413)
  })
})

describe('a number that changes when it is read', () => {
  test('is refused, and named', async () => {
    const { status, body } = await world.shopper.send('POST', `/v2/carts/${randomUUID()}/items`, {
      body: '{"data":{"type":"custom_item","name":"Ring","quantity":1,"price":{"amount":1},"custom_inputs":{"text":{"line":9007199254740993}}}}',
      headers: { 'content-type': 'application/json' },
    })
    expect([status, body.errors[0].source]).toEqual([400, 'data.custom_inputs.text.line'])
    expect(body.errors[0].detail).toContain('9007199254740993 does not')
  })
})

describe('the bodies of those who need no secret', () => {
  const sent = (bytes: number) => JSON.stringify({ data: { type: 'cart', name: 'x'.repeat(bytes) } })
  const put = (client: 'shopper' | 'admin', body: string) =>
    world[client].send('PUT', `/v2/carts/${randomUUID()}`, {
      body,
      headers: { 'content-type': 'application/json' },
    })

  test('have at most 256 KiB', async () => {
    const long = sent(limitsOfShoppers.bytesMax)
    const { status, body } = await put('shopper', long)
    expect(status).toBe(413)
    expect(body.errors[0].detail).toContain('262,144 bytes')
    expect((await put('admin', long)).status).not.toBe(413)
  })

  test('have at most 10,000 values', async () => {
    const many = JSON.stringify({ data: { type: 'cart', name: 'Cart', rest: Array(10_000).fill(0) } })
    const { status, body } = await put('shopper', many)
    expect(status).toBe(413)
    expect(body.errors[0].detail).toContain('10,000 values')
    expect((await put('admin', many)).status).toBe(200)
  })

  test('are not those of a server that sends a shopper’s token beside its secret', async () => {
    const who = { email: `${randomUUID()}@example.com`, password: 'a long password' }
    await world.admin.post('/v2/customers', { data: { type: 'customer', name: 'Ada', ...who } })
    const signIn = await world.admin.post('/v2/customers/tokens', { data: { type: 'token', ...who } })
    const many = JSON.stringify({ data: { type: 'cart', name: 'Cart', rest: Array(10_000).fill(0) } })
    const { status } = await world.admin.send('PUT', `/v2/carts/${randomUUID()}`, {
      body: many,
      headers: { 'content-type': 'application/json', 'x-moltin-customer-token': signIn.body.data.token },
    })
    expect(status).toBe(200)
  })
})
