import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { sutlerPage } from '../server/front-page.ts'
import { addColleague } from './builders/people/colleagues.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

/** As browsers send it. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const visit = (init?: RequestInit) => fetch(`${world.url}/`, { headers: { accept }, ...init })

test('a browser at / is shown the version, the state, and addresses that answer', async () => {
  const response = await visit()
  const html = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(html).toContain(`Version ${packageJson.version} · <strong class="ready">ready</strong>`)
  expect(html).toContain(`curl ${world.url}/oauth/access_token`)
  const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link)
  expect(links).toEqual(['console', 'docs', 'openapi.json', 'readyz', 'healthz'])
  for (const link of links) expect([link, (await fetch(`${world.url}/${link}`)).status]).toEqual([link, 200])
})

test('the page says how the first colleague gets in, while there is none, and never the link itself', async () => {
  const own = await openWorld({ overHttp: true, alone: true })
  const read = async () => (await fetch(`${own.url}/`, { headers: { accept } })).text()
  expect(await read()).toContain('Nobody has a password for the console yet.')
  expect(await read()).not.toContain('welcome#')
  await addColleague(own.admin, 'Basic')
  expect(await read()).not.toContain('Nobody has a password')
  await own.close()
})

test('the page at / has no script, loads nothing, and is asked for again before each use', async () => {
  const { headers } = await visit()
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-cache', 'Accept, Accept-Encoding'])
})

test.each(['br', 'gzip'])(
  'a browser that accepts %s gets the page so, and a 304 when it has it',
  async (coding) => {
    const headers = { accept, 'accept-encoding': coding }
    const response = await visit({ headers })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, coding])
    expect(await response.text()).toBe(
      await (await visit({ headers: { accept, 'accept-encoding': 'identity' } })).text(),
    )
    const etag = response.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/)
    const again = await visit({ headers: { ...headers, 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
  },
)

test.each([undefined, '*/*', 'application/json'])(
  'a program that accepts %s gets a 404 at /',
  async (type) => {
    const { status, body } = await world.nobody.get('/', type ? { accept: type } : {})
    expect([status, body.errors[0].detail]).toEqual([404, 'There is nothing at GET /.'])
  },
)

test('other methods get a 404 at /, and HEAD has no body', async () => {
  const { status, body } = await world.nobody.post('/', {})
  expect([status, body.errors[0].detail]).toEqual([404, 'There is nothing at POST /.'])
  const head = await visit({ method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('the page says why the server is not ready, and takes no markup from the Host', () => {
  const html = sutlerPage({
    ...{
      url: 'http://"><script>',
      fault: 'the database is not reachable',
      hasConsole: false,
      needsColleague: false,
    },
  })
  expect(html).toContain('<strong class="fault">not ready</strong>: the database is not reachable')
  expect(html).not.toContain('<script>')
})
