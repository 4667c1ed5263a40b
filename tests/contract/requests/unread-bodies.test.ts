import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

const mebibyte = 1024 * 1024
const block = Buffer.alloc(mebibyte, 'a')
const chunk = Buffer.concat([Buffer.from('100000\r\n'), block, Buffer.from('\r\n')])

interface SentRequest {
  readonly head: string
  readonly blocks: readonly Buffer[]
}

/** The response for a client that sends the whole body before it reads the response, as simple ones do. */
function answerTo({ head, blocks }: SentRequest): Promise<string> {
  const { port } = new URL(world.url)
  return new Promise((done, failed) => {
    let heard = ''
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', failed)
    socket.pause()
    socket.write(head)
    const left = [...blocks]
    const sendNext = () => {
      const next = left.pop()
      if (next) socket.write(next, sendNext)
      else {
        socket.on('data', (data) => {
          heard += data
          const [head = '', body = ''] = heard.split('\r\n\r\n')
          if (Number(/content-length: (\d+)/.exec(head)?.[1]) > Buffer.byteLength(body)) return
          socket.destroy()
          done(heard)
        })
        socket.resume()
      }
    }
    sendNext()
  })
}

const many = 40
const post = `POST /v2/accounts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`

describe('a body that is too large', () => {
  test.each<[string, SentRequest]>([
    [
      'by its Content-Length',
      { head: `${post}Content-Length: ${4 * mebibyte}\r\n\r\n`, blocks: Array(4).fill(block) },
    ],
    ['while it arrives', { head: `${post}Transfer-Encoding: chunked\r\n\r\n`, blocks: Array(4).fill(chunk) }],
    // It has more to send, but waits for a response first.
    [
      'before all of it has arrived',
      { head: `${post}Content-Length: ${4 * mebibyte}\r\n\r\n`, blocks: [block] },
    ],
  ])('is refused %s, and each of many clients gets the response', async (_, sent) => {
    const answers = await Promise.allSettled(Array.from({ length: many }, () => answerTo(sent)))
    const responses = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.split(' ')[1] : String(answer.reason),
    )
    expect(responses).toEqual(Array(many).fill('413'))
    const [head = '', body = ''] = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.split('\r\n\r\n') : [],
    )
    expect(head).toMatch(/^connection: close$/im)
    expect(JSON.parse(body).errors[0]).toMatchObject({ code: 'too_large', status: '413' })
  })
})

/** Whole answers, one after the other, on one connection. */
function talk(bytes: string, answers: number): Promise<string[]> {
  const { port } = new URL(world.url)
  return new Promise((done, failed) => {
    let heard = ''
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', failed)
    socket.on('data', (data) => {
      heard += data
      const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
      if (statuses.length < answers) return
      socket.destroy()
      done(statuses)
    })
    socket.write(bytes)
  })
}

test('a short body that is not read does not close the connection', async () => {
  const patch = 'PATCH /v2/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'
  const nowhere = 'POST /v2/nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'
  const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
  expect(await talk(`${patch}12345${nowhere}${get}`, 3)).toEqual(['405', '404', '200'])
})

describe('bytes that are not text', () => {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n\xff\xfe', 'latin1')
  const long = Buffer.alloc(5 * mebibyte, bytes)
  const id = '00000000-0000-4000-8000-000000000000'
  test.each([
    ['PUT', '/v2/files', long, 'token', 405],
    ['PUT', '/v2/files', bytes, 'no token', 405],
    ['PATCH', `/v2/accounts/${id}`, long, 'token', 405],
    ['POST', '/v2/files', long, 'no token', 401],
    ['POST', '/v2/accounts', bytes, 'no token', 401],
    ['PUT', `/v2/accounts/${id}`, bytes, 'a bad token', 401],
    ['POST', '/v2/nowhere', bytes, 'token', 404],
    ['DELETE', `/v2/accounts/${id}`, bytes, 'token', 404],
    ['POST', '/v2/accounts', bytes, 'token', 400],
  ] as const)(
    'in a %s of %s: the first fault decides the refusal',
    async (method, path, body, token, status) => {
      const bearer = { token: world.admin.token, 'no token': undefined, 'a bad token': 'x' }[token]
      const answer = await fetch(world.url + path, {
        method,
        body,
        headers: { 'content-type': 'image/png', ...(bearer && { authorization: `Bearer ${bearer}` }) },
      })
      expect([answer.status, await answer.json()]).toEqual([status, { errors: [expect.anything()] }])
    },
  )
})
