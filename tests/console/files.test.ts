import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeApart } from '../../console/build/document.ts'
import { sutlerApi } from '../../server/api-document.ts'
import { app } from '../../server/app.ts'
import { openWorld, type World } from '../support/world.ts'

const dist = join(import.meta.dirname, '../../console/dist')
const page = readFileSync(join(dist, 'index.html'), 'utf8')
const gzipped = (name: string) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

const visit = (path: string, headers = {}) => fetch(`${world.url}${path}`, { headers })

test('the first load has at most 180 KB, each other file 60 KB, and all of them 900 KB, with gzip', () => {
  const first = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, name = '']) => name)
  expect(first.length).toBeGreaterThan(2)
  expect(first.reduce((sum, name) => sum + gzipped(name), gzipped('index.html'))).toBeLessThan(180_000)
  const others = readdirSync(join(dist, 'assets'))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => `assets/${name}`)
    .filter((name) => !first.includes(name))
  for (const name of others) expect([name, gzipped(name) < 60_000]).toEqual([name, true])
  expect([...first, ...others].reduce((sum, name) => sum + gzipped(name), 0)).toBeLessThan(900_000)
})

test('every list of the API document that is known has a screen, and every create and update of these a form', () => {
  const document = JSON.parse(JSON.stringify(sutlerApi(app)))
  const { index, fields } = takeApart(document)
  const lists = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
    .map(({ get }) => get)
    .filter((get) => get && 'x-sutler-list' in get && !get.operationId.endsWith('-too'))
  // What an object is made of has a screen too, without a filter.
  const listed = index.filter(({ path, item, isWhole }) => path !== item && !isWhole)
  expect(listed.map(({ id }) => `list-${id}`).sort()).toEqual(lists.map((get) => get?.operationId).sort())
  expect(new Set(index.map(({ id }) => id)).size).toBe(index.length)
  for (const { id, create, update } of index) {
    expect([id, fields.get(id)?.create !== undefined]).toEqual([id, create !== undefined])
    expect([id, fields.get(id)?.update !== undefined]).toEqual([id, update !== undefined])
  }
})

test('the page is at /console and at every address below it, under a policy that lets only its own files run', async () => {
  for (const path of ['/console', '/console/', '/console/v2/accounts/x?form=edit']) {
    const response = await visit(path)
    expect([path, response.status, await response.text()]).toEqual([path, 200, page])
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
  }
})

test('its files are kept forever, and come compressed to clients that accept that', async () => {
  const [, script = ''] = /src="([^"]+)"/.exec(page) ?? []
  const plain = await visit(script, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const text = await plain.text()
  expect(text.length).toBe(
    statSync(join(dist, script.replace('/console/', ''))).size - (Buffer.byteLength(text) - text.length),
  )
  for (const coding of ['br', 'gzip']) {
    const response = await visit(script, { 'accept-encoding': coding })
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual([coding, text])
  }
  const etag = plain.headers.get('etag') ?? ''
  expect((await visit(script, { 'if-none-match': etag })).status).toBe(304)
  expect((await visit('/console/assets/none.js')).status).toBe(404)
})

test('no file outside of the build can be read', async () => {
  for (const path of [
    '/console/..%2fpackage.json',
    '/console/%2e%2e/package.json',
    '/console/assets/..%2f.stamp',
  ])
    expect([path, (await (await visit(path)).text()).includes('"version"')]).toEqual([path, false])
})

test('SUTLER_CONSOLE=off serves no console', async () => {
  const without = await openWorld({ overHttp: true, env: { SUTLER_CONSOLE: 'off' } })
  expect((await fetch(`${without.url}/console`)).status).toBe(404)
  await without.close()
})
