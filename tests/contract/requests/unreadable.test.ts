import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

/** The server's response to these bytes, until it ends the connection. */
function exchange(bytes: string): Promise<string> {
  const { port } = new URL(world.url)
  return new Promise((done, failed) => {
    let heard = ''
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('data', (data) => {
      heard += data
    })
    socket.on('end', () => {
      socket.destroy()
      done(heard)
    })
    socket.on('error', failed)
    socket.write(bytes)
  })
}

async function refusalOf(bytes: string) {
  const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
  const [line = '', ...headers] = head.split('\r\n')
  const named = Object.fromEntries(headers.map((header) => header.split(': ', 2)))
  expect(named['content-type']).toMatch(/^application\/json/)
  expect(named['content-length']).toBe(String(Buffer.byteLength(body)))
  expect(named['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(head).toMatch(/^connection: close$/im)
  expect([named['cache-control'], named['x-content-type-options']]).toEqual(['no-store', 'nosniff'])
  const [error] = JSON.parse(body).errors
  expect(line).toBe(`HTTP/1.1 ${error.status} ${error.title}`)
  return { status: Number(error.status), code: error.code, detail: error.detail, headers: named }
}

const post = 'POST /oauth/access_token HTTP/1.1\r\nHost: a\r\n'

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['a method that is none', 'GRAB /v2/accounts HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'bad_request'],
  ['another version', 'GET / HTTP/7.0\r\nHost: a\r\n\r\n', 400, 'bad_request'],
  ['a line that is no header', 'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n', 400, 'bad_request'],
  ['two lengths', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, 400, 'bad_request'],
  ['a chunk without length', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'bad_request'],
  [
    'endless chunk extensions',
    `${post}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n`,
    413,
    'too_large',
  ],
  [
    'a header of 40 KB',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  // More than the connection holds: the answer must not be lost over what is still being sent.
  ['a URL of 4 MB', `GET /?${'a'.repeat(4_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
  ['CONNECT', 'CONNECT example.com:80 HTTP/1.1\r\nHost: example.com\r\n\r\n', 501, 'not_implemented'],
])('%s is refused with an error document, and ends the connection', async (_, bytes, status, code) => {
  expect(await refusalOf(bytes)).toMatchObject({ status, code })
})

const closing = 'Connection: close\r\n\r\n'

test('a request without Host is refused with a message', async () => {
  for (const path of ['/v2/accounts', '/healthz', '/nowhere']) {
    const { status, detail } = await refusalOf(`GET ${path} HTTP/1.1\r\n${closing}`)
    expect([status, detail]).toEqual([400, 'The Host header is required.'])
  }
})

test.for([
  ['Host', 'Host: a\r\nHost: b\r\n'],
  ['Host', 'Host: a\r\nhost: a\r\n'],
  ['Authorization', 'Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
  ['Content-Type', 'Host: a\r\nContent-Type: text/plain\r\nContent-Type: application/json\r\n'],
])('a second %s header is refused: %j', async ([name, headers]) => {
  for (const version of ['1.1', '1.0']) {
    const { status, detail } = await refusalOf(`GET /v2/accounts HTTP/${version}\r\n${headers}${closing}`)
    expect([status, detail]).toEqual([400, `The ${name} header must be sent only once.`])
  }
})

test('HTTP/1.0 does not require a Host', async () => {
  expect(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).toContain('200 OK')
  const token = `Authorization: Bearer ${world.admin.token}\r\n`
  const { status, detail } = await refusalOf(`GET /v2/accounts HTTP/1.0\r\n${token}\r\n`)
  expect([status, detail]).toEqual([
    400,
    'The Host header must be a host name, optionally followed by a port.',
  ])
})

test('TRACE is a 405 like other unknown methods', async () => {
  const { status, headers } = await refusalOf(`TRACE /v2/accounts HTTP/1.1\r\nHost: a\r\n${closing}`)
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
})

test('an unknown Expect is ignored', async () => {
  const { status } = await refusalOf(`${post}Expect: tea\r\nContent-Length: 2\r\n${closing}{}`)
  expect(status).toBe(400)
})
