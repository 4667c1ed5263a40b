import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { file } from '../../../server/kernel/http/file.ts'
import { module } from '../../../server/kernel/module.ts'
import { redirect } from '../../../server/kernel/shape/answer.ts'
import { openWorld, type World } from '../../support/world.ts'

/** The content that was last made, to see what became of it. */
let content: Readable
/** How many of its blocks were asked for. */
let blocksRead = 0

const block = Buffer.alloc(65_536, 'b')

/** So many blocks, each made when it is wanted; then a fault, if there is to be one. */
function blocks(count: number, fault?: Error): Readable {
  blocksRead = 0
  content = Readable.from(
    (async function* () {
      for (; blocksRead < count; blocksRead++) yield block
      // Not in the same breath: what was made by then is on its way.
      await sleep(20)
      if (fault) throw fault
    })(),
    { objectMode: false },
  )
  return content
}

const common = {
  area: 'accounts',
  about: 'Answers a file.',
  status: 200,
  shows: { file: true, etag: true },
} as const
const bytes = Buffer.from([0, 255, 254, 10, 13, 0, 128])
const caching = { etag: 'W/"one"', 'cache-control': 'public, max-age=60' }

const doors = module({
  name: 'doors',
  about: 'What the kernel answers and no chapter does yet.',
  actions: [
    action({
      ...common,
      name: 'get-bytes',
      route: 'GET /v2/doors/bytes',
      run: async () => file(new Uint8Array(bytes), 'image/png', { 'content-disposition': 'inline' }),
    }),
    action({
      ...common,
      name: 'get-stream',
      route: 'GET /v2/doors/streams/:blocks',
      run: async (_ctx, { params, query }) =>
        file(blocks(Number(params.blocks)), 'text/csv', {
          ...caching,
          ...(query === 'length' && { 'content-length': String(Number(params.blocks) * block.length) }),
        }),
    }),
    action({
      ...common,
      name: 'get-fault',
      route: 'GET /v2/doors/faults/:blocks',
      run: async (_ctx, { params, query }) => {
        const fault =
          query === 'gone' ? new Problem('not_found', 'the file is gone') : new Error('a bug in a file')
        const length = { 'content-length': String(100 * block.length) }
        return file(blocks(Number(params.blocks), fault), 'text/csv', {
          ...caching,
          ...(query === 'length' && length),
        })
      },
    }),
    action({
      ...common,
      name: 'make-file',
      route: 'POST /v2/doors/files',
      run: async () => file(blocks(1), 'text/csv'),
    }),
    action({
      name: 'go-elsewhere',
      route: 'GET /v2/doors/elsewhere',
      area: 'accounts',
      about: 'Redirects.',
      status: 303,
      run: async () => redirect(303, 'https://files.example.com/a?b=c'),
    }),
  ],
})

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...app, doors], env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => world.close())
beforeEach(() => {
  blocksRead = 0
})

const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(world.url + path, {
    redirect: 'manual',
    ...init,
    headers: { authorization: `Bearer ${world.admin.token}`, ...init.headers },
  })

const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const codeOf = async (answer: Response) => {
  const { errors } = (await answer.json()) as { errors: { code: string }[] }
  return [answer.status, answer.headers.get('content-type'), errors[0]?.code]
}

describe('a file', () => {
  test('of bytes has its own type and headers, and nosniff', async () => {
    const answer = await ask('/v2/doors/bytes')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(await bodyOf(answer)).toEqual(bytes)
  })

  test.each(['', '?length'])('of a stream%s is complete', async (query) => {
    for (const count of [0, 1, 100]) {
      const answer = await ask(`/v2/doors/streams/${count}${query}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv'])
      const length = String(count * block.length)
      expect(answer.headers.get('content-length')).toBe(query || count === 0 ? length : null)
      expect((await bodyOf(answer)).equals(Buffer.concat(Array(count).fill(block)))).toBe(true)
    }
  })

  test('is refused to callers without the right to read it', async () => {
    const stranger = await ask('/v2/doors/streams/1', { headers: { authorization: 'Bearer no' } })
    expect(await codeOf(stranger)).toEqual([401, 'application/json; charset=utf-8', 'unauthorized'])
    expect(blocksRead).toBe(0)
  })

  test('has the same headers for HEAD, without reading its content', async () => {
    for (const path of ['/v2/doors/bytes', '/v2/doors/streams/100?length', '/v2/doors/streams/100']) {
      const got = await ask(path)
      await bodyOf(got)
      const answer = await ask(path, { method: 'HEAD' })
      const without = ({ headers }: Response) =>
        Object.fromEntries(
          [...headers].filter(
            ([name]) => !/^(date|x-request-id|transfer-encoding|connection|keep-alive)$/.test(name),
          ),
        )
      expect([path, answer.status, without(answer)]).toEqual([path, 200, without(got)])
      expect(await bodyOf(answer)).toHaveLength(0)
    }
    expect([blocksRead, content.destroyed]).toEqual([0, true])
  })

  test('that the client already has is not read or sent again', async () => {
    const answer = await ask('/v2/doors/streams/100', { headers: { 'if-none-match': 'W/"one"' } })
    expect([answer.status, (await bodyOf(answer)).length]).toEqual([304, 0])
    expect([blocksRead, content.destroyed]).toEqual([0, true])
  })

  test('is read as fast as the client takes it, and no further when the client hangs up', async () => {
    const sending = httpRequest(`${world.url}/v2/doors/streams/10000`, {
      headers: { authorization: `Bearer ${world.admin.token}` },
    })
    sending.end()
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    answer.pause()
    await expect
      .poll(
        async () => {
          const before = blocksRead
          await sleep(200)
          return blocksRead - before
        },
        { timeout: 10_000 },
      )
      .toBe(0)
    expect(blocksRead).toBeLessThan(1000)
    answer.destroy()
    await expect.poll(() => content.destroyed).toBe(true)
  })
})

describe('a file that fails', () => {
  test('before its first byte is refused as usual, without any part of the file', async () => {
    const gone = await ask('/v2/doors/faults/0?gone')
    expect(Object.keys(caching).map((name) => gone.headers.get(name))).toEqual([null, 'no-store'])
    expect(await codeOf(gone)).toEqual([404, 'application/json; charset=utf-8', 'not_found'])
    expect(await codeOf(await ask('/v2/doors/faults/0'))).toEqual([
      500,
      'application/json; charset=utf-8',
      'internal',
    ])
  })

  test.each(['', '?length', '?gone'])('half-way closes the connection%s', async (query) => {
    const answer = await ask(`/v2/doors/faults/3${query}`)
    expect(answer.status).toBe(200)
    await expect(bodyOf(answer)).rejects.toThrow('terminated')
    expect((await ask('/v2/doors/bytes')).status).toBe(200)
  })
})

test('a write that answers with a file does not support Idempotency-Key', async () => {
  const init = { method: 'POST', headers: { 'idempotency-key': 'again' } }
  expect(await codeOf(await ask('/v2/doors/files', init))).toEqual([
    400,
    'application/json; charset=utf-8',
    'bad_request',
  ])
  expect(await bodyOf(await ask('/v2/doors/files', { method: 'POST' }))).toHaveLength(block.length)
})

test('a redirect has the exact address and no body', async () => {
  const answer = await ask('/v2/doors/elsewhere')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://files.example.com/a?b=c'])
  expect(await bodyOf(answer)).toHaveLength(0)
})

test('the API document says which answers are files', async () => {
  const { body } = await world.admin.get('/openapi.json')
  expect((await new Validator().validate(structuredClone(body))).errors).toBeUndefined()
  const { responses } = body.paths['/v2/doors/bytes'].get
  expect(Object.keys(responses['200'].content)).toEqual(['*/*'])
})
