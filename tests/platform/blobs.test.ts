import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemOf } from '../../server/kernel/http/problems.ts'
import type { Blobs } from '../../server/platform/blobs/blobs.ts'
import { diskBlobs, mustBeWritable } from '../../server/platform/blobs/disk-blobs.ts'
import { s3Blobs } from '../../server/platform/blobs/s3-blobs.ts'
import { Unavailable } from '../../server/platform/faults.ts'
import { openS3Store, type S3Store } from '../support/s3-store.ts'

let s3Store: S3Store
const directories: string[] = []
const newDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-blobs-'))
  directories.push(directory)
  return directory
}
beforeAll(async () => {
  s3Store = await openS3Store()
})
afterAll(async () => {
  await s3Store.close()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) % 256))
async function* inPieces(bytes: Buffer, fault?: Error) {
  for (let at = 0; at < bytes.length; at += 30_000) yield bytes.subarray(at, at + 30_000)
  if (fault) throw fault
}
async function bytesOf(stream: Readable | undefined) {
  if (!stream) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
const newName = () => `${randomUUID()}/${randomUUID()}`
const namesOf = async (blobs: Blobs) => {
  const names: string[] = []
  for await (const { name } of blobs.list()) names.push(name)
  return names.sort()
}

describe.each([
  ['on the disk', async (directory: string) => diskBlobs(directory)],
  ['in a bucket', (directory: string) => s3Blobs(s3Store.bucket, directory)],
])('blobs %s', (_, open) => {
  let blobs: Blobs
  let directory: string
  const drafts = () => {
    const path = join(directory, 'unfinished')
    return existsSync(path) ? readdirSync(path) : []
  }
  const store = async (bytes = content) => {
    const name = newName()
    await (await blobs.draft(inPieces(bytes))).keep(name)
    return name
  }
  beforeAll(async () => {
    directory = newDirectory()
    blobs = await open(directory)
  })
  afterAll(() => blobs.close())

  test('are read as they were written, whole and in parts', async () => {
    const name = newName()
    const draft = await blobs.draft(inPieces(content))
    expect(draft.bytes).toBe(content.length)
    expect(await blobs.read(name)).toBeUndefined()
    await draft.keep(name)
    expect((await bytesOf(await blobs.read(name)))?.equals(content)).toBe(true)
    for (const [first, last] of [
      [0, 1],
      [5, 70_000],
      [199_999, 199_999],
    ] as const) {
      const part = await bytesOf(await blobs.read(name, content.length, { first, last }))
      expect(part?.equals(content.subarray(first, last + 1))).toBe(true)
    }
    await draft.discard()
    expect((await bytesOf(await blobs.read(name)))?.equals(content)).toBe(true)
    expect(drafts()).toEqual([])
  })

  test('may be empty', async () => {
    expect(await bytesOf(await blobs.read(await store(Buffer.alloc(0))))).toEqual(Buffer.alloc(0))
  })

  test('and their drafts do not exist if the source fails', async () => {
    const fault = new Error('it broke off')
    await expect(blobs.draft(inPieces(content, fault))).rejects.toBe(fault)
    expect(drafts()).toEqual([])
  })

  test('do not exist if the disk is full, which is reported as unavailable', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    await expect(blobs.draft(inPieces(content, full))).rejects.toMatchObject({
      name: 'Unavailable',
      cause: full,
    })
    expect(drafts()).toEqual([])
  })

  test('can be discarded as drafts, and removed when they are stored, also twice', async () => {
    const draft = await blobs.draft(inPieces(content))
    await draft.discard()
    await draft.discard()
    expect(drafts()).toEqual([])
    const name = await store()
    await blobs.remove(name)
    await blobs.remove(name)
    expect(await blobs.read(name)).toBeUndefined()
  })

  test('are listed with the time of their creation', async () => {
    const before = new Date(Date.now() - 5000)
    const names = [await store(Buffer.from('a')), await store(Buffer.from('b'))]
    expect(await namesOf(blobs)).toEqual(expect.arrayContaining(names))
    for await (const { since } of blobs.list()) {
      expect(since.getTime()).toBeGreaterThan(before.getTime())
      expect(since.getTime()).toBeLessThan(Date.now() + 5000)
    }
  })

  test('are named by ids only', async () => {
    for (const name of [
      'a/b',
      '../x',
      `${randomUUID()}/../../${randomUUID()}`,
      `/${newName()}`,
      newName().slice(1),
    ]) {
      const draft = await blobs.draft(inPieces(Buffer.from('x')))
      await expect(draft.keep(name)).rejects.toThrow('is not the name of a blob')
      await draft.discard()
      await expect(blobs.read(name)).rejects.toThrow('is not the name of a blob')
      await expect((async () => blobs.remove(name))()).rejects.toThrow('is not the name of a blob')
    }
  })

  test('that nobody continues to write are removed, and others stay', async () => {
    await blobs.draft(inPieces(content))
    await blobs.forgetDrafts(new Date(Date.now() - 60_000))
    expect(drafts()).toHaveLength(1)
    await blobs.forgetDrafts(new Date(Date.now() + 60_000))
    expect(drafts()).toEqual([])
  })
})

test('other files in the directory are ignored', async () => {
  const directory = newDirectory()
  const blobs = diskBlobs(directory)
  expect(await namesOf(blobs)).toEqual([])
  mkdirSync(join(directory, 'notes'))
  writeFileSync(join(directory, 'notes', 'a'), 'x')
  writeFileSync(join(directory, 'b'), 'x')
  expect(await namesOf(blobs)).toEqual([])
})

test('a directory that cannot be written is reported as unavailable', async () => {
  const path = join(newDirectory(), 'file')
  writeFileSync(path, '')
  const blobs = diskBlobs(join(path, 'files'))
  await expect(blobs.draft(inPieces(content))).rejects.toMatchObject({
    name: 'Unavailable',
    cause: { code: 'ENOTDIR' },
  })
})

test('a directory that cannot have files is refused before the server starts', async () => {
  const path = join(newDirectory(), 'a-file')
  writeFileSync(path, '')
  for (const directory of [path, join(path, 'files')])
    await expect(mustBeWritable(directory, 'SUTLER_FILES_DIR')).rejects.toThrow(
      /^cannot store files in .*a-file.* \(SUTLER_FILES_DIR\): E(EXIST|NOTDIR)/,
    )
  const missing = join(newDirectory(), 'shop/files')
  await mustBeWritable(missing, 'SUTLER_FILES_DIR')
  expect(existsSync(missing)).toBe(true)
})

test('a bucket that is missing or forbidden is refused before the server starts', async () => {
  const open = (changes: object) => s3Blobs({ ...s3Store.bucket, ...changes }, newDirectory())
  await expect(open({ name: 'another' })).rejects.toThrow(
    /^the bucket another at http:.* \(SUTLER_S3_BUCKET\) cannot be used: /,
  )
  const refused = await open({ accessKeyId: 'unknown', secretAccessKey: 'hush' }).catch(String)
  expect(refused).toMatch(/cannot be used: .*403/)
  expect(refused).not.toContain('hush')
})

test('a start does not wait for a bucket that does not answer', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bucket = { ...s3Store.bucket, endpoint }
  await expect(s3Blobs(bucket, newDirectory())).rejects.toThrow(/cannot be used: /)
  server.closeAllConnections()
  server.close()
}, 20_000)

test('a store that returns another part than the requested one is not trusted', async () => {
  const blobs = await s3Blobs(s3Store.bucket, newDirectory())
  const name = newName()
  await (await blobs.draft(inPieces(content))).keep(name)
  // This one takes the first byte alone for all of them.
  const first = await blobs.read(name, content.length, { first: 0, last: 0 })
  expect(await bytesOf(first)).toEqual(content.subarray(0, 1))
  blobs.close()
})

test('a file on the disk with another length is not served', async () => {
  const directory = newDirectory()
  const blobs = diskBlobs(directory)
  const name = newName()
  await (await blobs.draft(inPieces(content))).keep(name)
  truncateSync(join(directory, name), 1000)
  await expect(blobs.read(name, content.length)).rejects.toMatchObject({
    name: 'Unavailable',
    cause: `${name} has 1000 bytes instead of 200000 bytes`,
  })
})

type Respond = (response: ServerResponse, range: string | undefined) => void

describe('a store that returns a file', () => {
  const part = { first: 5, last: 70_004 }
  const range = (answer: ServerResponse) =>
    answer.setHeader('content-range', `bytes ${part.first}-${part.last}/${content.length}`)
  const slice = content.subarray(part.first, part.last + 1)
  const whole: Respond = (answer) => answer.end(content)
  const packed: Respond = (answer) => packedAs(answer, content)
  const cutOff = (bytes: Buffer): Respond => {
    return (answer, rangeHeader) => {
      answer.statusCode = rangeHeader ? 206 : 200
      if (rangeHeader) range(answer)
      answer.setHeader('content-length', rangeHeader ? slice.length : content.length)
      answer.write(bytes, () => answer.destroy())
    }
  }

  let respond: Respond
  let blobs: Blobs
  const fake = createServer((request, answer) => {
    if (request.method === 'HEAD') answer.end()
    else respond(answer, request.headers.range)
  })
  beforeAll(async () => {
    await new Promise<void>((listening) => fake.listen(0, '127.0.0.1', listening))
    const endpoint = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    blobs = await s3Blobs({ ...s3Store.bucket, endpoint }, newDirectory())
  })
  afterAll(() => {
    blobs.close()
    fake.close()
  })
  const readWhole = async () => bytesOf(await blobs.read(newName(), content.length))
  const readPart = async () => bytesOf(await blobs.read(newName(), content.length, part))

  test.each<[string, Respond]>([
    ['whole, whatever the range', whole],
    ['packed by a proxy', packed],
    [
      'in chunks, without its length',
      (answer, rangeHeader) => {
        if (rangeHeader) {
          answer.statusCode = 206
          range(answer)
        }
        answer.write(rangeHeader ? slice : content)
        answer.end()
      },
    ],
  ])('%s is accepted', async (_, answers) => {
    respond = answers
    expect((await readWhole())?.equals(content)).toBe(true)
    expect((await readPart())?.equals(slice)).toBe(true)
  })

  test.each<[string, Respond]>([
    ['of another length', (answer) => answer.end(content.subarray(0, 1000))],
    [
      'of another length, in chunks',
      (answer) => {
        answer.write(content.subarray(0, 1000))
        answer.end()
      },
    ],
    ['of another length, packed', (answer) => packedAs(answer, content.subarray(0, 1000))],
    ['that is longer', (answer) => answer.end(Buffer.concat([content, content]))],
    ['and breaks off', cutOff(content.subarray(0, 1000))],
  ])('%s is not served', async (_, answers) => {
    respond = answers
    await expect(readWhole()).rejects.toThrow()
    await expect(readPart()).rejects.toThrow()
  })
})

function packedAs(answer: ServerResponse, bytes: Buffer): void {
  answer.setHeader('content-encoding', 'gzip')
  answer.end(gzipSync(bytes))
}

test('a store that does not respond is reported as unavailable, without a secret', async () => {
  const away = await openS3Store()
  const blobs = await s3Blobs(away.bucket, newDirectory())
  await away.close()
  const error = await blobs.read(newName()).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(Unavailable)
  const { status, cause } = problemOf(error)
  expect(status).toBe(503)
  expect(String(cause)).toContain('ECONNREFUSED')
  blobs.close()
})
