import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png, type SentFile, upload, uploaded } from '../../builders/store/uploads.ts'
import { tries } from '../../support/long.ts'
import { filesOf, openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
/** Where its files are kept. */
let directory: string
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'silent' } })
  directory = filesOf(world.database)
})
afterAll(() => world.close())

const namesIn = (path: string): string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
const storedNames = (storeId = world.storeId) => namesIn(join(directory, storeId))
const drafts = () => namesIn(join(directory, 'unfinished'))
const total = async () => (await world.admin.get('/v2/files')).body.meta.results.total as number
const refusal = ({ status, body }: Reply) => [status, body.errors[0].title, body.errors[0].detail]

const mebibyte = 1024 * 1024

describe('a file', () => {
  test('is stored as it was sent, and shown with its size, type and link', async () => {
    const content = png(640, 480)
    const reply = await upload(world, { name: 'Rye loaf.PNG', content, type: 'text/html' })
    const { id } = reply.body.data
    expect([reply.status, reply.body.data]).toEqual([
      201,
      {
        type: 'file',
        id,
        file_name: 'Rye loaf.PNG',
        mime_type: 'image/png',
        file_size: content.length,
        public: true,
        link: { href: `${world.url}/files/${world.storeId}/${id}.png` },
        meta: { timestamps: expect.anything(), dimensions: { width: 640, height: 480 } },
        links: { self: `${world.url}/v2/files/${id}` },
      },
    ])
    expect((await world.admin.get(`/v2/files/${id}`)).body).toEqual(reply.body)
    expect((await world.shopper.get(`/v2/files?filter=in(id,${id})`)).body.data).toEqual([reply.body.data])
    expect(readFileSync(join(directory, world.storeId, id)).equals(content)).toBe(true)
    expect(drafts()).toEqual([])
  })

  test('has dimensions only if it is an image', async () => {
    for (const [name, type] of [
      ['a.pdf', 'application/pdf'],
      ['a.svg', 'image/svg+xml'],
      ['a.jpg', 'image/jpeg'],
      ['b.bin', 'application/octet-stream'],
      ['empty.gif', 'image/gif'],
    ]) {
      const content = name?.startsWith('empty') ? '' : '<svg xmlns="x" width="3" height="4"/>'
      const { body } = await upload(world, { name: name as string, content })
      expect([body.data.mime_type, body.data.meta.dimensions]).toEqual([type, undefined])
    }
  })

  test('gets a name from its type if it has none', async () => {
    const send = (type: string) =>
      world.admin.send('POST', '/v2/files', {
        body: `--x\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: ${type}\r\n\r\nhello\r\n--x--`,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      })
    expect((await send('application/pdf')).body.data).toMatchObject({ file_name: 'file.pdf', file_size: 5 })
    expect((await send('application/x-unknown')).body.data.mime_type).toBe('application/octet-stream')
  })

  test('has a name that does not affect where it is stored', async () => {
    for (const name of ['../../../../etc/passwd.png', '..\\..\\evil.png', '/etc/cron.d/x.png', '….png']) {
      const { id, file_name, link } = await uploaded(world, { name, content: 'x' })
      expect(file_name).toBe(name)
      expect(storedNames()).toContain(id)
      expect(link.href).toBe(`${world.url}/files/${world.storeId}/${id}.png`)
      const disposition = (await fetch(link.href)).headers.get('content-disposition')
      expect(disposition).not.toMatch(/[/\\]|%2f|%5c/i)
    }
    expect(namesIn(directory).filter((name) => name !== 'unfinished')).toEqual([world.storeId])
  })

  test('is deleted with its content', async () => {
    const { id, link } = await uploaded(world, { name: 'gone.txt', content: 'x' })
    expect((await world.admin.delete(`/v2/files/${id}`)).status).toBe(204)
    expect((await fetch(link.href)).status).toBe(404)
    await expect.poll(() => storedNames(), { timeout: 10_000 }).not.toContain(id)
    expect((await world.admin.delete(`/v2/files/${id}`)).status).toBe(404)
    expect((await world.admin.delete('/v2/files/x')).status).toBe(404)
  })

  test('of another store is not deleted, and the message says so', async () => {
    const { id, link } = await uploaded(world, { name: 'theirs.txt', content: 'x' }, world.other)
    expect(refusal(await world.admin.delete(`/v2/files/${id}`))).toEqual([
      403,
      'Permission denied',
      'You are trying to remove a file outside of the tenancy',
    ])
    expect((await fetch(link.href)).status).toBe(200)
    expect((await world.admin.get(`/v2/files/${id}`)).status).toBe(404)
  })

  test('cannot be uploaded by shoppers', async () => {
    expect((await upload(world, { name: 'a.txt', content: 'x' }, world.shopper)).status).toBe(403)
    expect((await upload(world, { name: 'a.txt', content: 'x' }, world.nobody)).status).toBe(401)
  })
})

describe('a file that is hosted elsewhere', () => {
  const refer = (file_location: string, texts: object = {}) =>
    upload(world, { texts: { file_location, ...texts } })

  test('is shown with its URL, and not stored here', async () => {
    const before = storedNames()
    const { status, body } = await refer('https://images.example.com/breads/Rye%20loaf.jpg?w=3')
    expect([status, body.data]).toMatchObject([
      201,
      {
        mime_type: 'image/jpeg',
        file_size: 0,
        link: { href: 'https://images.example.com/breads/Rye%20loaf.jpg?w=3' },
      },
    ])
    expect(body.data).not.toHaveProperty('file_name')
    expect(storedNames()).toEqual(before)
    const here = `${world.url}/files/${world.storeId}/${body.data.id}.jpg`
    expect((await fetch(here)).status).toBe(404)
    expect((await world.admin.delete(`/v2/files/${body.data.id}`)).status).toBe(204)
  })

  test.each([
    ['https://example.com', 'application/octet-stream'],
    ['http://example.com/a/%zz', 'application/octet-stream'],
    ['http://example.com/a.png%00b', 'application/octet-stream'],
    ['http://example.com/%F0%9F%8D%9E.webp/?x=a.png', 'image/webp'],
  ])('the end of %s says that it is %s', async (location, type) => {
    expect((await refer(location)).body.data.mime_type).toBe(type)
  })

  test.each(['@/path/to/file.jpg', 'ftp://example.com/a.png', 'javascript:alert(1)', '', 'http://'])(
    'is refused at %j',
    async (location) => {
      expect(refusal(await refer(location))).toEqual([
        422,
        'file_location invalid',
        `${location} is not a valid URL`,
      ])
    },
  )
})

describe('a refused upload leaves nothing behind', () => {
  const cases: readonly (readonly [
    what: string,
    sent: SentFile,
    status: number,
    title: string,
    detail: RegExp,
  ])[] = [
    [
      'without a file',
      { texts: { public: 'true' } },
      400,
      'Validation Failed',
      /^You have not supplied a file to store$/,
    ],
    [
      'with a file and a location',
      { name: 'a.txt', content: 'x', texts: { file_location: 'https://example.com/a.png' } },
      400,
      'Validation Failed',
      /not both/,
    ],
    [
      'with a location that is said to be public',
      { texts: { file_location: 'https://example.com/a.png', public: 'true' } },
      400,
      'Validation Failed',
      /public/,
    ],
    [
      'of a type that is not accepted',
      { name: 'a.html', content: 'x' },
      400,
      'Forbidden',
      /^This file type is not supported$/,
    ],
    ['without a type', { name: 'a', content: 'x' }, 400, 'Forbidden', /^This file type is not supported$/],
    [
      'with a name of the language',
      { name: 'a.constructor', content: 'x' },
      400,
      'Forbidden',
      /not supported/,
    ],
    ['with a long name', { name: `${'x'.repeat(252)}.txt`, content: 'x' }, 400, 'Bad Request', /255/],
    [
      'one byte too long',
      { name: 'a.txt', content: Buffer.alloc(8 * mebibyte + 1) },
      413,
      'Request Entity Too Large',
      /8 MiB/,
    ],
    [
      'far too long',
      { name: 'a.txt', content: Buffer.alloc(9 * mebibyte) },
      413,
      'Request Entity Too Large',
      /too large/,
    ],
  ]
  test.each(cases)('%s', async (_, sent, status, title, detail) => {
    const before = [await total(), storedNames().length]
    expect(refusal(await upload(world, sent))).toEqual([status, title, expect.stringMatching(detail)])
    expect([await total(), storedNames().length, drafts()]).toEqual([...before, []])
  })

  test('a file that is too long is refused with the limit, and the client always gets the response', async () => {
    const longest = 8 * mebibyte
    const beyond = [1, 2, 60, 400, 1000, 16_384, 60_000, 65_000, 65_536, 70_000, 400_000, 2_000_000]
    for (let round = 0; round < tries(1, 4); round++) {
      const replies = await Promise.all(
        beyond.map((bytes) => upload(world, { name: 'a.txt', content: Buffer.alloc(longest + bytes) })),
      )
      for (const [i, reply] of replies.entries()) {
        const limit =
          /^The file must have at most 8 MiB\.$|^The request body is too large; it must have at most 8,454,144 bytes, including the multipart envelope\.$/
        const [status, , detail] = refusal(reply)
        expect([beyond[i], status, detail]).toEqual([beyond[i], 413, expect.stringMatching(limit)])
      }
    }
    expect(drafts()).toEqual([])
  }, 60_000)

  test('that is not a form', async () => {
    const reply = await world.admin.post('/v2/files', { data: { type: 'file' } })
    expect(reply.status).toBe(415)
  })

  test('whose client hangs up in the middle', async () => {
    const before = [await total(), storedNames().length]
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    socket.write(
      `POST /v2/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.admin.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${part}${'a'.repeat(70_000)}`,
    )
    await expect.poll(() => drafts().length, { timeout: 10_000 }).toBe(1)
    socket.destroy()
    await expect.poll(drafts, { timeout: 10_000 }).toEqual([])
    expect([await total(), storedNames().length]).toEqual(before)
  })

  test('that the database refuses', async () => {
    const before = [await total(), storedNames().length]
    await world.sql(
      `ALTER TABLE files ADD CONSTRAINT not_today CHECK (file_name <> 'not today.txt') NOT VALID`,
    )
    expect((await upload(world, { name: 'not today.txt', content: 'x' })).status).toBe(500)
    await world.sql('ALTER TABLE files DROP CONSTRAINT not_today')
    expect([await total(), storedNames().length, drafts()]).toEqual([...before, []])
  })
})

test('a file of the maximum size is stored', async () => {
  const content = Buffer.alloc(8 * mebibyte, 'long ')
  const { id, link } = await uploaded(world, { name: 'long.txt', content })
  expect(readFileSync(join(directory, world.storeId, id)).equals(content)).toBe(true)
  expect(Buffer.from(await (await fetch(link.href)).arrayBuffer()).equals(content)).toBe(true)
})

test('many files that arrive at once are stored as they were sent', async () => {
  const contents = Array.from({ length: 20 }, (_, i) => Buffer.alloc(50_000 + i, String(i % 10)))
  const uploads = await Promise.all(
    contents.map((content, i) => uploaded(world, { name: `n${i}.txt`, content })),
  )
  for (const [i, { link }] of uploads.entries()) {
    const bytes = Buffer.from(await (await fetch(link.href)).arrayBuffer())
    expect(contents[i]?.equals(bytes)).toBe(true)
  }
})

test('the API document describes the form', async () => {
  const { requestBody } = (await world.nobody.get('/openapi.json')).body.paths['/v2/files'].post
  const { properties } = requestBody.content['multipart/form-data'].schema
  expect(Object.keys(properties)).toEqual(['file', 'file_location', 'public'])
  expect(properties.file).toMatchObject({ type: 'string', format: 'binary' })
})
