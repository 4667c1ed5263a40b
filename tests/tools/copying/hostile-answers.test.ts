import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../server/kernel/clock.ts'
import { isPublic } from '../../../server/platform/sockets/addresses.ts'
import { UnreadableAnswer } from '../../../tools/copying/read-answer.ts'
import { Remote } from '../../../tools/copying/remote.ts'
import { openFileAccess } from '../../../tools/file-access.ts'
import { type HostileServer, openHostileServer, sendJson } from './hostile-server.ts'

let source: HostileServer
/** Something that only this machine can reach. */
let neighbour: HostileServer
let remote: Remote
const files = openFileAccess(isPublic)
beforeAll(async () => {
  source = await openHostileServer()
  neighbour = await openHostileServer('127.0.0.2')
  remote = new Remote(
    { url: source.url, clientId: 'id', clientSecret: 'secret' },
    ...([systemClock, 10_000, files] as const),
  )
})
afterAll(async () => {
  files.close()
  await source.close()
  await neighbour.close()
})

const mb = 1024 * 1024

test('a redirect is not followed, so nobody else gets the token', async () => {
  source.answer = (_request, response) =>
    void response.writeHead(307, { location: `${neighbour.url}/v2/accounts` }).end()
  expect(await remote.get('/v2/accounts')).toMatchObject({
    status: 307,
    body: { errors: [{ detail: expect.stringContaining('a redirect, which is not followed') }] },
  })
  expect(neighbour.requests).toEqual([])
})

test('of an answer that does not end, some megabytes are read', async () => {
  let sent = 0
  source.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      sent += mb
      if (sent < 2000 * mb && !response.destroyed) response.write(Buffer.alloc(mb, '['), more)
    }
    more()
  }
  await expect(remote.get('/v2/accounts')).rejects.toThrow(/^an answer is longer than 33554432 bytes$/)
  expect(sent).toBeLessThan(200 * mb)
})

test('an answer is limited by what it unpacks to', async () => {
  const packed = gzipSync(Buffer.alloc(300 * mb, ' '), { level: 9 })
  expect(packed.length).toBeLessThan(mb)
  source.answer = (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  const before = process.memoryUsage().rss
  await expect(remote.get('/v2/accounts')).rejects.toThrow(UnreadableAnswer)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * mb)
})

test('an answer is not nested without an end, and brackets in texts do not count', async () => {
  source.answer = (_request, response) => void response.end('[{"a":'.repeat(500_000))
  await expect(remote.get('/v2/accounts')).rejects.toThrow(/nested deeper/)
  const text = '[{\\"'.repeat(100)
  source.answer = (_request, response) => void response.end(`{"data":"${text}"}`)
  expect((await remote.get('/v2/accounts')).body).toEqual({ data: '[{"'.repeat(100) })
})

test('a token that cannot be a header is refused at once', async () => {
  const other = await openHostileServer()
  Object.assign(other, { givesTokens: false })
  other.answer = (_request, response) => sendJson(response, { access_token: 'a\r\nx-evil: 1' })
  const caller = new Remote(
    { url: other.url, clientId: 'id', clientSecret: 'secret' },
    ...([systemClock, 10_000, files] as const),
  )
  await expect(caller.get('/v2/accounts')).rejects.toThrow(/gives no token/)
  expect(other.requests.length).toBe(1)
  await other.close()
})

test('a file of the source itself is read, without its token', async () => {
  const before = source.requests.length
  source.answer = (_request, response) => void response.end('bread')
  const content = await remote.content(`${source.url}/files/loaf.txt`)
  expect(await (content as Blob).text()).toBe('bread')
  expect(source.requests.slice(before)).toEqual([{ method: 'GET', path: '/files/loaf.txt', token: '' }])
})

test.each([
  ['at a private address', () => `${neighbour.url}/secret`, /is not a public address/],
  ['at a name of this machine', () => 'http://localhost:1/secret', /is not at a public address/],
  ['at another port of the source', () => `${source.url.replace(/\d+$/, '1')}/x`, /is not a public address/],
  ['at the metadata of a cloud', () => 'http://169.254.169.254/latest', /is not a public address/],
  ['on the disk', () => 'file:///etc/passwd', /not an http URL/],
  ['in the address itself', () => 'data:text/plain,x', /not an http URL/],
  ['nowhere', () => undefined, /not an http URL/],
])('a file %s is not read', async (_where, href, reason) => {
  expect(await remote.content(href())).toMatch(reason)
  expect(neighbour.requests).toEqual([])
})

test.each<[string, HostileServer['answer'], RegExp]>([
  [
    'leads elsewhere',
    (_request, response) => void response.writeHead(302, { location: `${neighbour.url}/` }).end(),
    /answers 302, a redirect/,
  ],
  ['is missing', (_request, response) => void response.writeHead(404).end('{}'), /answers 404/],
  ['fails', (_request, response) => void response.writeHead(500).end('a page'), /^500$/],
  ['is too long', (_request, response) => void response.end(Buffer.alloc(9 * mb)), /longer than 8388608/],
  [
    'is packed',
    (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(9 * mb))),
    /is packed/,
  ],
  [
    'breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half')
      setTimeout(() => response.destroy(), 20)
    },
    /connection broke/,
  ],
])('a file whose content %s is not read', async (_what, answer, reason) => {
  source.answer = answer
  expect(await remote.content(`${source.url}/files/loaf.txt`)).toMatch(reason)
  expect(neighbour.requests).toEqual([])
})
