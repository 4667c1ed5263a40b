import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsOf } from '../../../server/kernel/declare/operation.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { takesAll } from '../../support/long.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
/** A world of the same server, whose clients need no connection. */
let quick: World
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, overHttp: true })
  quick = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(async () => {
  await world.close()
  await quick.close()
})

const places = new Map<string, { path: string; methods: Set<string> }>()
for (const operation of operations) {
  const { method, of } = operation
  for (const path of pathsOf(operation)) {
    const key = path.replace(/:\w+/g, ':')
    const place = places.get(key) ?? { path: path.replace(/:\w+/g, () => randomUUID()), methods: new Set() }
    place.methods.add(method)
    if (method === 'GET' && !(of.is === 'action' && of.action.signsIn)) place.methods.add('HEAD')
    places.set(key, place)
  }
}

/** A server answers each method it does not have in one way: the usual run tries the rare ones in one place. */
const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const [first] = places.values()
const triesAll = ({ path }: { readonly path: string }) => takesAll || path === first?.path

// CONNECT names no path, and fetch sends no TRACE: unreadable.test.ts has both.
const sendable = METHODS.filter((method) => !['OPTIONS', 'CONNECT', 'TRACE'].includes(method))

describe.each([...places.values()])('$path', (place) => {
  const { path, methods } = place
  // What comes over a connection is the same at each place.
  const here = () => (triesAll(place) ? world : quick)

  test('answers other methods with 405 and the allowed ones', async () => {
    const methodsHere = [...methods]
    const refuses = async (method: string) => {
      const { status, headers, body } = await here().admin.send(method, path)
      const code = method === 'HEAD' ? 'method_not_allowed' : body?.errors?.[0].code
      expect([method, status, code]).toEqual([method, 405, 'method_not_allowed'])
      const allowed = (headers.get('allow') ?? '').split(', ')
      expect(allowed.sort(), `what may be called in place of ${method}`).toEqual(
        [...methodsHere, 'OPTIONS'].sort(),
      )
    }
    const tried = triesAll(place) ? sendable : usual
    await Promise.all(tried.filter((method) => !methodsHere.includes(method)).map(refuses))
  })

  test('lets browsers call it and read refusals', async () => {
    const origin = 'https://shop.example.com'
    for (const method of methods) {
      const preflight = await here().nobody.send('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,if-match,x-moltin-language',
        },
      })
      const headerOf = (response: { headers: Headers }, name: string) => response.headers.get(name)
      expect(preflight.status, `the preflight of ${method}`).toBe(204)
      expect(headerOf(preflight, 'access-control-allow-origin'), method).toBe(origin)
      expect(headerOf(preflight, 'access-control-allow-methods')).toContain(method)
      expect(headerOf(preflight, 'access-control-allow-headers'), method).toContain('if-match')
      const refused = await here().nobody.send(method, path, { headers: { origin } })
      expect(refused.status, `${method} by nobody`).toBeGreaterThanOrEqual(400)
      expect(headerOf(refused, 'access-control-allow-origin'), method).toBe(origin)
      expect(headerOf(refused, 'x-request-id'), method).toMatch(/^[0-9a-f-]{36}$/)
      expect(headerOf(refused, 'content-type'), method).toMatch(/^application\/json/)
    }
  })

  test('also answers with a slash at its end, and with doubled slashes', async () => {
    const method = [...methods][0] as string
    const { status } = await world.admin.send(method, path)
    for (const same of [`${path}/`, path.replace('/v2/', '/v2//'), path.replace(/^\//, '//')]) {
      expect([same, (await world.admin.send(method, world.url + same)).status]).toEqual([same, status])
    }
  })
})

describe.each(operations.filter(({ alsoUnder }) => alsoUnder))('$alsoUnder$path', (operation) => {
  test(`answers $method like $path`, async () => {
    const { method, alsoUnder = '', status, access } = operation
    // Reads may have the same response for all.
    const own = access === 'read' ? samples : new Samples(world.admin, world.work)
    const { path, body } = await own.call(operation)
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const other = await world.admin.send(method, alsoUnder + path, init)
    expect([other.status, other.body?.errors]).toEqual([status, undefined])
    if (method !== 'GET') return
    const { body: answer } = await world.admin.get(path)
    expect(other.body.data).toEqual(answer.data)
    expect(other.body.meta).toEqual(answer.meta)
    const first = answer.links?.first
    if (first) expect(other.body.links.first).toBe(first.replace(path, alsoUnder + path))
  })
})

test('an unknown path is a 404 with a message', async () => {
  for (const path of [
    '/',
    '/v2',
    '/v2/no-such-thing',
    '/v3/accounts',
    '/v2/accounts/a/b/c',
    '/%',
    '/v2/%ff',
    '/v2/accounts/%00',
  ]) {
    const { status, body } = await world.admin.get(path)
    expect([path, status]).toEqual([path, path.includes('%') ? expect.toBeOneOf([400, 404]) : 404])
    expect(body.errors[0]).toMatchObject({ status: String(status), detail: expect.stringMatching(/../) })
  }
})

test('a malformed name anywhere in an address breaks no read', async () => {
  const reads = operations.filter(({ access }) => access === 'read').map(({ path }) => path.split('/'))
  for (const parts of reads) {
    const named = parts.flatMap((part, i) => (part.startsWith(':') ? [i] : []))
    for (const name of ['x', '%00']) {
      const sent = named.map((at) =>
        parts.map((part, i) => (i === at ? name : part.startsWith(':') ? randomUUID() : part)).join('/'),
      )
      const replies = await Promise.all(
        sent.map(async (path) => [path, (await world.admin.get(path)).status]),
      )
      for (const [path, status] of replies) expect(status, `GET ${path}`).toBeLessThan(500)
    }
  }
})

test('OPTIONS also answers clients that are not browsers', async () => {
  const { status } = await fetch(`${world.url}/v2/accounts`, { method: 'OPTIONS' })
  expect(status).toBe(204)
})

describe('a body', () => {
  const post = async (body: string | Buffer, type = 'application/json') => {
    const headers = { authorization: `Bearer ${world.admin.token}`, 'content-type': type }
    const reply = await fetch(`${world.url}/v2/accounts`, { method: 'POST', headers, body })
    return { status: reply.status, body: (await reply.json()) as Reply['body'] }
  }
  const text = '{"data":{"type":"account","name":"Caf\u00e9"}}'

  test('that is not UTF-8 is refused, and not stored garbled', async () => {
    const { status, body } = await post(Buffer.from(text, 'latin1'))
    expect([status, body.errors[0].code]).toEqual([400, 'bad_request'])
    expect(body.errors[0].detail).toContain('UTF-8')
  })

  test('may begin with a byte order mark', async () => {
    const { status, body } = await post(Buffer.from(`\ufeff${text}`))
    expect([status, body.data.name]).toEqual([201, 'Caf\u00e9'])
  })

  test('with a Content-Type that is not a media type is a 415', async () => {
    const { status, body } = await post(text, ';;/')
    expect([status, body.errors[0].status]).toEqual([415, '415'])
  })
})

test('a filter of the maximum length is accepted, also percent-encoded', async () => {
  const longest = '\u00e9'.repeat((8192 - 'eq(name,)'.length) >> 1)
  const filter = `eq(name,${encodeURIComponent(longest)})`
  const { status, headers, body } = await world.admin.get(`/v2/accounts?filter=${filter}`)
  expect([status, body.data]).toEqual([200, []])
  // Its links do not go into the header, which would be longer than clients and proxies take.
  expect(headers.has('link')).toBe(false)
  expect(body.links.first).toContain(filter)
})
