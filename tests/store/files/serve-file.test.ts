import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesDirOf } from '../../../server/config.ts'
import { uploaded } from '../../builders/store/uploads.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => world.close())

const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 31 + (i >> 8)) % 256))
const ask = (href: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(href, { method, headers })
const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('the content of a file', () => {
  test('can be read by everyone, has its type, and may be cached forever', async () => {
    const { id, link } = await uploaded(world, { name: "Ada's «loaf».pdf", content })
    const answer = await ask(link.href, { origin: 'https://shop.example.com' })
    expect([answer.status, sha256(await bodyOf(answer))]).toEqual([200, sha256(content)])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '100000',
      etag: `"${id}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': "inline; filename*=UTF-8''Ada%27s%20%C2%ABloaf%C2%BB.pdf",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': 'https://shop.example.com',
    })
    expect(answer.headers.get('content-security-policy')).toBeNull()
  })

  test('is sandboxed if a browser would run it', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const { link } = await uploaded(world, { name: 'a.SVG', content: svg, type: 'text/html' })
    const answer = await ask(link.href)
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    const policy = answer.headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", 'sandbox']))
    expect(await answer.text()).toBe(svg)
  })

  test('is not sent again to a client that has it', async () => {
    const { id, link } = await uploaded(world, { name: 'a.txt', content })
    for (const tag of [`"${id}"`, `"x", W/"${id}"`, '*']) {
      const answer = await ask(link.href, { 'if-none-match': tag, range: 'bytes=0-1' })
      expect([answer.status, (await bodyOf(answer)).length]).toEqual([304, 0])
      expect(answer.headers.get('etag')).toBe(`"${id}"`)
      expect(answer.headers.get('cache-control')).toContain('immutable')
    }
    expect((await ask(link.href, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('is not sent for HEAD', async () => {
    const { link } = await uploaded(world, { name: 'a.txt', content })
    const answer = await ask(link.href, { range: 'bytes=0-1' }, 'HEAD')
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '100000'])
    expect((await bodyOf(answer)).length).toBe(0)
  })

  test('may be empty', async () => {
    const { link } = await uploaded(world, { name: 'a.txt', content: '' })
    const answer = await ask(link.href, { range: 'bytes=0-1' })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '0', ''])
  })
})

describe('a part of a file', () => {
  let href: string
  let id: string
  beforeAll(async () => {
    const upload = await uploaded(world, { name: 'a.txt', content })
    href = upload.link.href
    id = upload.id
  })

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=99990-', 99_990, 100_000],
    ['bytes=-10', 99_990, 100_000],
    ['bytes=0-999999', 0, 100_000],
  ])('is what the range asks for: %s', async (range, from, to) => {
    const answer = await ask(href, { range })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/100000`)
    expect(answer.headers.get('content-length')).toBe(String(to - from))
    expect((await bodyOf(answer)).equals(content.subarray(from, to))).toBe(true)
  })

  test('beyond the end is refused with the size of the file', async () => {
    const answer = await ask(href, { range: 'bytes=100000-' })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */100000'])
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'range_not_satisfiable' }] })
    expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['no-store', null])
  })

  test.each(['bytes=0-1,5-6', 'bytes=9-3', 'pages=1-2', 'nonsense'])(
    'is the whole file if the range is invalid: %s',
    async (range) => {
      const answer = await ask(href, { range })
      expect([answer.status, (await bodyOf(answer)).length]).toEqual([200, 100_000])
    },
  )

  test('has the version of the client, or the whole file is sent', async () => {
    const status = async (ifRange: string) =>
      (await ask(href, { range: 'bytes=0-1', 'if-range': ifRange })).status
    expect(await status(`"${id}"`)).toBe(206)
    expect(await status(`W/"${id}"`)).toBe(200)
    expect(await status('"other"')).toBe(200)
    expect(await status('Sat, 29 Oct 1994 19:43:31 GMT')).toBe(200)
  })
})

test('other URLs are a 404', async () => {
  const { id, link } = await uploaded(world, { name: 'a.txt', content: 'x' })
  const at = (store: string, name: string) => `${world.url}/files/${store}/${name}`
  const other = await uploaded(world, { name: 'b.txt', content: 'x' }, world.other)
  expect((await ask(link.href)).status).toBe(200)
  for (const wrong of [
    at(world.storeId, `${id}.png`),
    at(world.storeId, id),
    at(world.storeId, `${id}.txt.txt`),
    at(world.storeId, `${randomUUID()}.txt`),
    at(world.storeId, `${other.id}.txt`),
    at(world.storeId, 'x.txt'),
    at(world.storeId, '..%2f..%2fsecret'),
    at(world.storeId, '%00'),
    at(randomUUID(), `${id}.txt`),
    at('..', `${id}.txt`),
  ]) {
    expect([wrong, (await ask(wrong)).status]).toEqual([wrong, 404])
  }
})

test('a file whose content is lost is a 404 that may not be cached', async () => {
  const { id, link } = await uploaded(world, { name: 'a.txt', content: 'x' })
  rmSync(`${filesDirOf(testConfig('postgres://a@/b', world.database))}/${world.storeId}/${id}`)
  const answer = await ask(link.href)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
})

test('reading a file does not read the feed', async () => {
  const { instance } = world.server
  const { onWrite } = instance
  const stores: string[] = []
  Object.assign(instance, {
    onWrite: (storeId: string) => {
      stores.push(storeId)
      onWrite(storeId)
    },
  })
  const { link } = await uploaded(world, { name: 'a.txt', content: 'x' })
  expect(stores).toEqual([world.storeId])
  await (await ask(link.href)).text()
  expect(stores).toEqual([world.storeId])
  Object.assign(instance, { onWrite })
})
