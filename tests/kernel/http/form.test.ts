import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../server/kernel/errors.ts'
import { type FormFile, readForm } from '../../../server/kernel/http/reading/form.ts'
import { tries } from '../../support/long.ts'

type Part = readonly [name: string, value: string, fileName?: string, type?: string]

const boundary = 'between-the-parts'
const contentType = `multipart/form-data; boundary=${boundary}`

/** A form as RFC 7578 has it. */
const formOf = (...parts: readonly Part[]) =>
  Buffer.from(
    `${parts
      .map(([name, value, fileName, type]) => {
        const named = fileName === undefined ? '' : `; filename="${fileName}"`
        const typed = type ? `Content-Type: ${type}\r\n` : ''
        return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n${typed}\r\n${value}\r\n`
      })
      .join('')}--${boundary}--\r\n`,
    'latin1',
  )

/** The bytes, a few at a time. */
const inPieces = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    ),
    { objectMode: false },
  )

const met: { file?: Omit<FormFile, 'content'> & { content: string } } = {}
async function takeAll({ fileName, type, content }: FormFile) {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  met.file = { fileName, type, content: Buffer.concat(chunks).toString('latin1') }
}

async function read(bytes: Buffer, { size = 7, type = contentType, take = takeAll } = {}) {
  delete met.file
  const texts = await readForm(inPieces(bytes, size), type, 'file', take)
  return { texts: Object.fromEntries(texts), file: met.file }
}

/** How it was refused. */
const refusal = async (reading: Promise<unknown>) => {
  const error = await reading.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(Problem)
  const { status, detail } = error as Problem
  return [status, detail]
}

const refused = (status: number) => [status, expect.any(String)]

describe('a form', () => {
  test('has texts and a file, in any chunks', async () => {
    const bytes = formOf(['a', 'one'], ['file', 'x\r\n--betwee\x00\xff', 'p/q.png', 'Image/PNG'], ['b', ''])
    for (let size = 1; size <= bytes.length; size++) {
      expect(await read(bytes, { size })).toEqual({
        texts: { a: 'one', b: '' },
        file: { fileName: 'p/q.png', type: 'image/png', content: 'x\r\n--betwee\x00\xff' },
      })
    }
  })

  test('may have a file without a name, or none', async () => {
    expect((await read(formOf(['file', 'x']))).file).toEqual({
      fileName: undefined,
      type: 'text/plain',
      content: 'x',
    })
    expect(await read(formOf(['other', 'x', 'q.png']))).toMatchObject({ file: undefined })
  })

  test('with another media type or without a boundary is refused', async () => {
    expect(await refusal(read(formOf(), { type: 'application/json' }))).toEqual(refused(415))
    expect(await refusal(read(formOf(), { type: 'multipart/form-data' }))).toEqual(refused(400))
  })

  test('is refused when it has two files, too many parts, or too long a text', async () => {
    expect(await refusal(read(formOf(['file', 'x'], ['file', 'y'])))).toEqual(refused(400))
    const many = Array.from({ length: 50 }, (_, i): Part => [`p${i}`, 'x'])
    expect(await refusal(read(formOf(...many)))).toEqual(refused(400))
    const long = formOf(['a', 'x'.repeat(65_537)])
    expect(await refusal(read(long, { size: 9999 }))).toEqual([400, 'a must have at most 65536 bytes.'])
    expect(await refusal(read(formOf(['a', 'x\0'])))).toEqual(refused(400))
  })

  test('is refused wherever it is truncated', async () => {
    const bytes = formOf(['a', 'one'], ['file', 'content', 'q.png', 'image/png'], ['b', 'two'])
    // The last line need not end.
    for (let length = 0; length < bytes.length - 2; length++) {
      expect(await refusal(read(bytes.subarray(0, length))), `${length} bytes`).toEqual(refused(400))
    }
  })

  test('is refused like its file, whether or not the file was read', async () => {
    const problem = new Problem('unprocessable', 'No such files.')
    const bytes = formOf(['file', 'x'.repeat(300_000), 'q.png'], ['b', 'two'])
    for (const reads of [0, 1, 1000]) {
      const take = async ({ content }: FormFile) => {
        let read = 0
        if (reads) for await (const _ of content) if (++read === reads) break
        throw problem
      }
      await expect(read(bytes, { size: 10_000, take })).rejects.toBe(problem)
    }
  })

  test('is refused like its file, whenever and however the file fails', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    const problem = new Problem('unavailable', 'File storage is full.')
    const failsAfter = (bytesMax: number, error: Error | null) => {
      let bytes = 0
      return new Writable({
        write(chunk: Buffer, _encoding, done) {
          bytes += chunk.length
          if (bytes > bytesMax) this.destroy(error ?? undefined)
          else done()
        },
      })
    }
    for (let i = 0; i < 60; i++) {
      const bytes = formOf(['file', 'x'.repeat(10_000 + i * 5000), 'q.png'], ['b', 'two'])
      const take = async ({ content }: FormFile) => {
        const sink = failsAfter(i * 1000, i % 2 ? full : null)
        const source = i % 3 ? content : Readable.from(content, { objectMode: false })
        await pipeline(source, sink).catch(() => sleep(i % 5))
        throw problem
      }
      await expect(read(bytes, { size: 3000 + i * 500, take })).rejects.toBe(problem)
    }
  })

  test('of an upload that fails is refused, and so is the reader of the file', async () => {
    const problem = new Problem('too_large', 'Too large.')
    const bytes = formOf(['file', 'x'.repeat(1000), 'q.png'])
    const upload = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 500)
        throw problem
      })(),
      { objectMode: false },
    )
    const errors: unknown[] = []
    const take = (file: FormFile) =>
      takeAll(file).catch((error) => {
        errors.push(error)
        throw error
      })
    await expect(readForm(upload, contentType, 'file', take)).rejects.toBe(problem)
    expect(errors).toEqual([problem])
  })

  test('of arbitrary bytes is read or refused', async () => {
    const line = fc.constantFrom(
      ...[`--${boundary}`, `--${boundary}--`, '\r\n', '\n', '\r', '', 'x', ':', '"', ';', '='],
      ...['Content-Disposition: form-data', 'Content-Disposition: attachment', '; name="file"', '; name="a"'],
      ...["; filename*=UTF-8''%e2%82%ac%zz", '; filename="q', 'Content-Type: text/plain; charset=utf-99'],
      ...['Content-Transfer-Encoding: base64', '\0', '\xff'],
    )
    const anyForm = fc
      .array(fc.tuple(line, fc.constantFrom('', '\r\n')), { maxLength: 40 })
      .map((lines) => Buffer.from(`--${boundary}\r\n${lines.flat().join('')}`, 'latin1'))
    await fc.assert(
      fc.asyncProperty(anyForm, fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const outcome = await read(bytes, { size }).catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Problem)
      }),
      { numRuns: tries(125, 500) },
    )
  })
})
