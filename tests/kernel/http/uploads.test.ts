import { createHash } from 'node:crypto'
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { refuseUnreadable } from '../../../server/kernel/http/reading/unreadable.ts'
import { uploadOf } from '../../../server/kernel/http/reading/upload.ts'
import { module } from '../../../server/kernel/module.ts'
import { json } from '../../../server/kernel/shape/answer.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

const mebibyte = 1024 * 1024
const bytesMax = 8 * mebibyte

/** What became of each upload that an action saw. */
const events: (string | Problem)[] = []

/** An upload is waited for until this is done. */
let gate: Promise<unknown> = Promise.resolve()

async function digest(upload: Readable) {
  await gate
  const hash = createHash('sha256')
  let bytes = 0
  try {
    await pipeline(upload, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        bytes += chunk.length
        hash.update(chunk)
      }
    })
  } catch (error) {
    events.push(error as Problem)
    throw error
  }
  events.push('read')
  return { bytes, sha256: hash.digest('hex') }
}

const common = { area: 'accounts', about: 'Takes an upload.', status: 201, upload: { bytesMax } } as const

const doors = module({
  name: 'doors',
  about: 'What the kernel takes and no chapter does yet.',
  actions: [
    action({
      ...common,
      name: 'read-upload',
      route: 'POST /v2/doors/read',
      run: async (_ctx, { upload, headers }) =>
        json(201, { data: { ...(await digest(upload)), type: headers['content-type'] ?? null } }),
    }),
    action({
      ...common,
      name: 'keep-upload',
      route: 'POST /v2/doors/kept',
      async run(ctx, { upload }) {
        const { bytes } = await digest(upload)
        const [row] = await ctx.transaction((work) =>
          work.store.run('SELECT $2::int + 1 WHERE $1::uuid IS NOT NULL', bytes),
        )
        return json(201, { data: { bytes, next: Number(row?.[0]) } })
      },
    }),
    action({
      ...common,
      name: 'refuse-upload',
      route: 'POST /v2/doors/:id/refused',
      async run() {
        events.push('refused')
        throw new Problem('not_found', 'door not found')
      },
    }),
    action({
      ...common,
      name: 'pass-over-upload',
      route: 'POST /v2/doors/passed-over',
      run: async () => json(201, { data: 'not read' }),
    }),
    action({
      ...common,
      name: 'begin-upload',
      route: 'POST /v2/doors/begun',
      async run(_ctx, { upload }) {
        for await (const _ of upload) break
        return json(201, { data: 'enough' })
      },
    }),
    action({
      ...common,
      name: 'break-over-upload',
      route: 'POST /v2/doors/broken',
      async run(_ctx, { upload }) {
        for await (const _ of upload) throw new Error('a bug over an upload')
        return json(201, {})
      },
    }),
  ],
})

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...app, doors], env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => world.close())
afterEach(() => {
  events.length = 0
  gate = Promise.resolve()
})

interface RequestOptions {
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  /** Without its length, as it comes. */
  readonly chunked?: boolean
}

/** As a client that takes the answer whenever it comes. */
function post(
  path: string,
  body: Buffer,
  { token = world.admin.token, headers, chunked }: RequestOptions = {},
) {
  return new Promise<Reply>((done, failed) => {
    const sending = httpRequest(world.url + path, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        ...(!chunked && { 'content-length': body.length }),
        ...headers,
      },
    })
    sending.on('error', failed)
    sending.on('response', (answer) => {
      let text = ''
      answer.on('data', (data) => {
        text += data
      })
      answer.on('end', () =>
        done({
          status: answer.statusCode ?? 0,
          headers: new Headers(answer.headers as Record<string, string>),
          body: text && JSON.parse(text),
        }),
      )
    })
    // Many writes, so that the length is not known from the first.
    for (let at = 0; at < body.length; at += 65_536) sending.write(body.subarray(at, at + 65_536))
    sending.end()
  })
}

const pattern = Uint8Array.from({ length: 65_536 }, (_, i) => (i * 31 + (i >> 8)) % 256)
const binary = (bytes: number) => Buffer.alloc(bytes, pattern)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const codeOf = ({ status, body }: Reply) => [status, body.errors[0].code]

describe('an upload', () => {
  test.each([
    ['with its length', false],
    ['as it comes', true],
  ])('%s arrives as it was sent, up to the maximum length', async (_, chunked) => {
    for (const bytes of [0, 1, 70_000, bytesMax]) {
      const body = binary(bytes)
      const { status, body: answer } = await post('/v2/doors/read', body, { chunked })
      expect([status, answer.data]).toEqual([201, { bytes, sha256: sha256(body), type: null }])
    }
  })

  test.each(['application/json', 'multipart/form-data; boundary=x', 'image/png', 'text/csv; charset=latin1'])(
    'of type %s arrives with its type',
    async (type) => {
      const body = Buffer.from('{"not": "json\xff', 'latin1')
      const { body: answer } = await post('/v2/doors/read', body, { headers: { 'content-type': type } })
      expect(answer.data).toEqual({ bytes: body.length, sha256: sha256(body), type })
    },
  )

  test('is followed by the next request on the same connection', async () => {
    const { port } = new URL(world.url)
    const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.admin.token}\r\n`
    const socket = connect(Number(port), '127.0.0.1')
    let heard = ''
    socket.on('data', (data) => {
      heard += data
    })
    for (const path of ['read', 'passed-over', 'begun', '1/refused', 'read'])
      socket.write(`POST /v2/doors/${path} ${head}Content-Length: 5\r\n\r\nhello`)
    const statuses = () => [...heard.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
    await expect.poll(statuses).toEqual(['201', '201', '201', '404', '201'])
    socket.destroy()
  })

  test('may be followed by a transaction of its own', async () => {
    const { body } = await post('/v2/doors/kept', binary(99))
    expect(body.data).toEqual({ bytes: 99, next: 100 })
  })

  test('is never held whole in memory: the client is read no faster than the action reads', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const { port } = new URL(world.url)
    // Together they hold more than the system does between two ends.
    const many = 8
    const sockets = Array.from({ length: many }, () => connect(Number(port), '127.0.0.1'))
    let taken = 0
    const head = `POST /v2/doors/read HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.admin.token}\r\n`
    const before = process.memoryUsage().arrayBuffers
    const block = Buffer.alloc(65_536)
    for (const one of sockets) {
      one.write(`${head}Content-Length: ${bytesMax}\r\n\r\n`)
      let left = bytesMax
      const next = () => {
        if (left === 0) return
        left -= block.length
        taken += block.length
        one.write(block, next)
      }
      next()
    }
    await new Promise((done) => setTimeout(done, 500))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(many * mebibyte)
    resolve()
    await expect.poll(() => taken, { timeout: 20_000 }).toBe(many * bytesMax)
    await expect.poll(() => events.length, { timeout: 20_000 }).toBe(many)
    for (const one of sockets) one.destroy()
  })
})

describe('an upload that is too long', () => {
  test('is refused by its Content-Length before it is read', async () => {
    const reply = await post('/v2/doors/read', binary(bytesMax + 1))
    expect(codeOf(reply)).toEqual([413, 'too_large'])
    expect(reply.body.errors[0].detail).toBe('The request body is too large; it must have at most 8 MiB.')
    expect(events).toEqual([])
  })

  test('is refused while it is being received', async () => {
    const reply = await post('/v2/doors/read', binary(bytesMax + 1), { chunked: true })
    expect(codeOf(reply)).toEqual([413, 'too_large'])
    expect(events).toEqual([expect.any(Problem)])
    expect((await post('/v2/doors/read', binary(2 * bytesMax), { chunked: true })).status).toBe(413)
  })
})

describe('an upload that is refused', () => {
  const body = binary(bytesMax)

  test('because of its caller is refused before it is read', async () => {
    expect(codeOf(await post('/v2/doors/read', body, { token: 'nonsense' }))).toEqual([401, 'unauthorized'])
    expect(codeOf(await post('/v2/doors/read', body, { token: world.shopper.token }))).toEqual([
      403,
      'forbidden',
    ])
    expect(events).toEqual([])
  })

  test('because of an Idempotency-Key says so', async () => {
    const reply = await post('/v2/doors/read', body, { headers: { 'idempotency-key': 'again' } })
    expect(codeOf(reply)).toEqual([400, 'bad_request'])
    expect(reply.body.errors[0]).toMatchObject({ source: 'Idempotency-Key' })
    expect(events).toEqual([])
  })

  test.each([
    ['by its action', '/v2/doors/1/refused', 404],
    ['by nobody, but not read', '/v2/doors/passed-over', 201],
    ['by nobody, but not read to its end', '/v2/doors/begun', 201],
    ['by a bug', '/v2/doors/broken', 500],
    ['under a label that is no media type', '/v2/doors/read', 415],
  ])('%s is answered, to each of many', async (_, path, status) => {
    const headers = { ...(status === 415 && { 'content-type': ';;/' }) }
    for (const chunked of [false, true]) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => post(path, body, { headers, chunked })),
      )
      expect(replies.map((reply) => reply.status)).toEqual(Array(10).fill(status))
    }
  })
})

test('an upload whose client hangs up fails for its reader, and leaves nothing', async () => {
  const { port } = new URL(world.url)
  const head = `POST /v2/doors/read HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.admin.token}\r\n`
  const hangUp = async (path: string, afterMs: number) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`${head.replace('read', path)}Content-Length: 1000\r\n\r\nhello`)
    await new Promise((done) => setTimeout(done, afterMs))
    socket.resetAndDestroy()
  }
  await hangUp('passed-over', 100)
  // A busy server may not have begun to read after a moment.
  for (let ms = 100; !events.length && ms < 10_000; ms *= 2) {
    await hangUp('read', ms)
    await expect
      .poll(() => events.length, { timeout: ms })
      .toBeGreaterThan(0)
      .catch(() => {})
  }
  const codes = events.map((event) => (event as { code: string }).code)
  expect([...new Set(codes)]).toEqual(['bad_request'])
  expect((await world.admin.get('/v2/accounts')).status).toBe(200)
})

test('a slow upload has more time than a request with a JSON body', async () => {
  const short = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 }
  const server = createServer(short, (request, response) => {
    const body = request.url === '/upload' ? uploadOf(request, 100) : request
    pipeline(body, response).catch(() => {})
  })
  server.on('clientError', refuseUnreadable)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const sendSlowly = async (path: string) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (data) => {
      heard += data
    })
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n`)
    for (let i = 0; i < 10 && socket.writable; i++) {
      socket.write('a')
      await new Promise((done) => setTimeout(done, 100))
    }
    await expect.poll(() => socket.readyState).not.toBe('open')
    return heard
  }
  const [upload, other] = await Promise.all([sendSlowly('/upload'), sendSlowly('/other')])
  expect(upload.match(/^a/gm)).toHaveLength(10)
  expect(upload).not.toContain('request_timeout')
  expect(other).toContain('request_timeout')
  server.close()
})

test('the API document states the size limit, and no Idempotency-Key', async () => {
  const { body } = await world.admin.get('/openapi.json')
  expect((await new Validator().validate(structuredClone(body))).errors).toBeUndefined()
  const { requestBody, parameters } = body.paths['/v2/doors/read'].post
  expect(requestBody.description).toContain('8 MiB')
  expect(JSON.stringify(parameters)).not.toContain('idempotencyKey')
})

describe('a client that sends Expect: 100-continue', () => {
  /** What it hears before it has sent anything of its body, and in the end. */
  const send = (path: string, token: string | undefined, body: string, bytes = body.length) =>
    new Promise<readonly string[]>((done, failed) => {
      const heard: string[] = []
      const socket = connect({ port: Number(new URL(world.url).port), host: '127.0.0.1' })
      socket.on('error', failed)
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n` +
          `Content-Type: application/json\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`,
      )
      socket.on('data', (data) => {
        heard.push(...(String(data).match(/^HTTP\/1\.1 \d+|^connection: close/gim) ?? []))
        if (heard.length === 1 && heard[0]?.endsWith('100')) return void socket.write(body)
        socket.destroy()
        done(heard)
      })
    })
  const account = JSON.stringify({ data: { type: 'account', name: 'A' } })

  test.each([
    ['/v2/doors/read', 'some bytes'],
    ['/v2/accounts', account],
    ['/v2/nowhere', account],
  ])('sends its body to %s when the server says so', async (path, body) => {
    const status = path === '/v2/nowhere' ? 404 : 201
    expect(await send(path, world.admin.token, body)).toEqual(['HTTP/1.1 100', `HTTP/1.1 ${status}`])
  })

  test('need not send a body that is refused', async () => {
    const refused = (status: number) => [`HTTP/1.1 ${status}`, 'connection: close']
    expect(await send('/v2/doors/read', undefined, 'x')).toEqual(refused(401))
    expect(await send('/v2/doors/read', world.admin.token, '', bytesMax + 1)).toEqual(refused(413))
    expect(await send('/v2/accounts', world.admin.token, '', 2 * mebibyte)).toEqual(refused(413))
  })
})
