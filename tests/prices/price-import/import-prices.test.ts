import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { priceImport, priceImportOf } from '../../../server/prices/price-import/price-import.ts'
import { stageLines } from '../../../server/prices/price-import/staged-lines.ts'
import { unpackedBytesMax } from '../../../server/store/imports/file-limits.ts'
import { readLines } from '../../../server/store/imports/text-lines.ts'
import { pimJobs } from '../../../server/store/index.ts'
import { fresh, merchant } from '../../builders/prices/pricebooks.ts'
import { formOf } from '../../builders/store/uploads.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())
beforeEach(() => world.sql('DELETE FROM pricebooks'))

const { newBook, newPrice } = merchant(() => world.admin)
const usd = (amount: number) => ({ USD: { amount, includes_tax: false } })
const fileOf = (...lines: readonly (object | string)[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
const bookLine = (external_ref: string, more: object = {}) => ({
  type: 'pricebook',
  attributes: { name: `Book ${external_ref}`, external_ref, ...more },
})
const priceLine = (book: string, ref: string, sku: string, amount: number) => ({
  type: 'product-price',
  pricebook_external_ref: book,
  attributes: { external_ref: ref, sku, currencies: usd(amount) },
})

async function sendForm(form: FormData): Promise<Pick<Reply, 'status' | 'body'>> {
  const answer = await fetch(`${world.url}/pcm/pricebooks/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.admin.token}` },
    body: form,
  })
  return { status: answer.status, body: await answer.json() }
}

const send = (content: string | Buffer, texts: Record<string, string> = {}) =>
  sendForm(formOf({ name: 'prices.jsonl', content, texts }))

/** The job's status in the end, and what its errors say. */
async function importFile(content: string | Buffer, texts: Record<string, string> = {}) {
  const { status, body } = await send(content, texts)
  expect([status, body.errors]).toEqual([201, undefined])
  expect(body.data.attributes).toMatchObject({ type: 'price-import', status: 'pending' })
  const path = `/pcm/jobs/${body.data.id}`
  let job = body.data
  await vi.waitUntil(
    async () => {
      job = (await world.admin.get(path)).body.data
      return ['success', 'failed'].includes(job.attributes.status)
    },
    { timeout: 30_000, interval: 20 },
  )
  return [job.attributes.status, ...(await errorsOf(body.data.id))]
}

async function errorsOf(jobId: string): Promise<readonly string[]> {
  const { data } = (await world.admin.get(`/pcm/jobs/${jobId}/errors?page[limit]=100`)).body
  return data.map(({ attributes }: { attributes: { message: string } }) => attributes.message)
}

/** As `importFile`, but without the form and the queue. */
async function importAtOnce(file: string, job = priceImport): Promise<readonly string[]> {
  const { work } = world
  const importId = randomUUID()
  const { lines } = await stageLines(work, importId, Readable.from([Buffer.from(file)]))
  const facts = { type: 'price-import', status: 'pending', started_at: null, completed_at: null } as const
  const { id } = await add(work, pimJobs, [], { ...facts, request_id: 'at once' })
  await job.run(work, { jobId: id, payload: { importId, lines } })
  const { attributes } = (await world.admin.get(`/pcm/jobs/${id}`)).body.data
  return [attributes.status, ...(await errorsOf(id))]
}

/** Amounts by price book and SKU. */
async function stored(): Promise<Record<string, number>> {
  const { rows } = await world.sql(
    `SELECT b.name || ' ' || p.sku AS of, p.doc->'attributes'->'currencies'->'USD'->>'amount' AS amount
     FROM prices p JOIN pricebooks b ON b.store_id = p.store_id AND b.id = p.pricebook_id ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(({ of, amount }) => [of, Number(amount)]))
}

describe('a file', () => {
  test('creates and updates price books and prices, in any order', async () => {
    const file = fileOf(
      priceLine('b', 'p1', 'SKU-1', 100),
      bookLine('b'),
      priceLine('a', 'p1', 'SKU-1', 90),
      '',
      bookLine('a', { description: 'First' }),
    )
    expect(await importFile(file)).toEqual(['success'])
    expect(await stored()).toEqual({ 'Book a SKU-1': 90, 'Book b SKU-1': 100 })
    const changed = fileOf(
      bookLine('a', { name: 'Book A' }),
      priceLine('a', 'p1', 'SKU-2', 95),
      priceLine('a', 'p2', 'SKU-1', 80),
    )
    expect(await importAtOnce(changed)).toEqual(['success'])
    // The SKU was given up before another price took it.
    expect(await stored()).toEqual({ 'Book A SKU-1': 80, 'Book A SKU-2': 95, 'Book b SKU-1': 100 })
    expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  })

  test('changes nothing when it is sent again', async () => {
    const file = fileOf(bookLine('b'), priceLine('b', 'p1', 'SKU-1', 100), priceLine('b', 'p2', 'SKU-2', 1))
    await importAtOnce(file)
    const versions = () =>
      world.sql('SELECT id, version FROM prices UNION SELECT id, version FROM pricebooks ORDER BY id')
    const before = (await versions()).rows
    expect(await importAtOnce(file)).toEqual(['success'])
    expect([before.length, (await versions()).rows]).toEqual([3, before])
  })

  test('names objects by id, and the price book in several places', async () => {
    const book = await newBook({ name: 'Here' })
    const price = await newPrice(book.id, { sku: 'S' })
    const attributes = { sku: 'S', currencies: usd(7) }
    const file = fileOf(
      { data: { type: 'product-price', id: price.id.toUpperCase(), attributes } },
      {
        type: 'product-price',
        meta: { pricebook_id: book.id },
        attributes: { ...attributes, sku: 'T', external_ref: 't' },
      },
      {
        type: 'product-price',
        attributes: { ...attributes, sku: 'U', external_ref: 'u', pricebook_id: book.id },
      },
      { type: 'pricebook', id: book.id, attributes: { description: 'Changed' } },
    )
    expect(await importAtOnce(file)).toEqual(['success'])
    expect(await stored()).toEqual({ 'Here S': 7, 'Here T': 7, 'Here U': 7 })
    const { description } = (await world.admin.get(`/pcm/pricebooks/${book.id}`)).body.data.attributes
    expect(description).toBe('Changed')
  })

  test('may be a response: importing it changes nothing', async () => {
    const book = await newBook()
    await newPrice(book.id, {
      external_ref: 'x',
      sales: { S: { schedule: null } },
      admin_attributes: { a: '1' },
    })
    const { data } = (await world.admin.get('/pcm/pricebooks/prices')).body
    expect(await importAtOnce(fileOf(...data))).toEqual(['success'])
    expect((await world.admin.get('/pcm/pricebooks/prices')).body.data).toEqual(data)
  })

  test.each([
    ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['in UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['with Windows line ends', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
  ])('may be written %s', async (_, bytesOf) => {
    const file = bytesOf(fileOf(bookLine('b', { name: 'Größe' }), priceLine('b', 'p1', 'S', 7)))
    expect(await importFile(file)).toEqual(['success'])
    expect(await stored()).toEqual({ 'Größe S': 7 })
  })

  test('may be compressed, and says whether it is', async () => {
    const file = fileOf(bookLine('b'))
    const packed = gzipSync(file)
    expect(await importFile(packed, { file_compression: 'gzip' })).toEqual(['success'])
    expect(await importFile(packed)).toEqual(['success'])
    expect(await importFile(file, { file_compression: 'none' })).toEqual(['success'])
    const refused = async (content: string | Buffer, file_compression: string) => {
      const { status, body } = await send(content, { file_compression })
      return [status, body.errors?.[0].source]
    }
    expect(await refused(packed, 'none')).toEqual([422, 'file_compression'])
    expect(await refused(file, 'gzip')).toEqual([422, 'file_compression'])
    expect(await refused(file, 'zip')).toEqual([422, 'file_compression'])
    for (const broken of [
      packed.subarray(0, -9),
      Buffer.concat([packed.subarray(0, 20), Buffer.from('x')]),
    ]) {
      const { status, body } = await send(broken)
      expect([status, body.errors[0].detail]).toEqual([422, 'error processing gzip file'])
    }
    expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  })
})

describe('the first error fails the job, with its line', () => {
  const good = [bookLine('b'), priceLine('b', 'p1', 'SKU-1', 1)]
  const price = (more: object) => ({ ...priceLine('b', 'p2', 'SKU-2', 1), ...more })
  const none = randomUUID()

  test.each<[line: object | string, message: string]>([
    ['{"type":', 'line 3: invalid json provided'],
    ['"\\ud800"', 'line 3: The body must not contain a NUL character'],
    ['[]', 'line 3: the line must be a JSON object.'],
    [
      { type: 'price-modifier', attributes: {} },
      'line 3: type must be "pricebook" or "product-price", not "price-modifier".',
    ],
    [{ type: 'pricebook' }, 'line 3: missing attributes for price book'],
    [
      { type: 'pricebook', attributes: { name: 'X' } },
      'line 3: the price book needs an id or an external_ref.',
    ],
    [bookLine('c', { external_ref: 7 }), 'line 3: invalid type for external_ref for price book'],
    [price({ attributes: undefined }), 'line 3: missing attributes for price'],
    [price({ attributes: { external_ref: 'p2' } }), 'line 3: missing sku for price'],
    [price({ attributes: { external_ref: 'p2', sku: 1 } }), 'line 3: invalid type for sku for price'],
    [
      price({ pricebook_external_ref: undefined }),
      'line 3: missing pricebook_id/pricebook_external_ref for price',
    ],
    [price({ pricebook_external_ref: 'x' }), 'line 3: price book external refs not found: x'],
    [price({ pricebook_id: none }), `line 3: price book id not found: ${none}`],
    [price({ pricebook_id: 'x' }), 'line 3: x is not the id of a price book.'],
    [price({ id: none }), `line 3: price Ids not found: ${none}`],
    [{ type: 'pricebook', id: none, attributes: { name: 'X' } }, `line 3: price book id not found: ${none}`],
    [priceLine('b', 'p1', 'SKU-9', 1), 'line 3: duplicate external ref found: line 2 names the same object.'],
    [priceLine('b', 'p2', 'SKU-1', 1), 'line 3: '],
    [bookLine('c', { name: 'Book b' }), 'line 3: name: The pricebook already exists'],
    [bookLine('c', { color: 'red' }), 'line 3: color is unknown'],
    [priceLine('b', 'p2', 'SKU-2', -1), 'line 3: currencies.USD.amount must be from 0'],
    [
      price({ attributes: { external_ref: 'p2', sku: 'S', currencies: usd(1), sales: { A: {}, B: {} } } }),
      'line 3: sales.B.schedule: the sale A has the same schedule',
    ],
  ])('%j', async (line, message) => {
    const [status, ...errors] = await importAtOnce(fileOf(...good, line))
    expect([status, errors.length]).toEqual(['failed', 1])
    expect(errors[0]).toContain(message)
    expect(errors[0]).not.toContain('data.')
  })

  test('all unreadable lines are reported together', async () => {
    expect(await importAtOnce(fileOf(...good, '{', priceLine('b', 'p1', 'S', 1), '[]'))).toEqual([
      'failed',
      'line 3: invalid json provided',
      'line 4: duplicate external ref found: line 2 names the same object.',
      'line 5: the line must be a JSON object.',
    ])
  })

  test('all faults of a line', async () => {
    const line = bookLine('c', { name: '', description: 1, color: 'red' })
    const [status, ...errors] = await importAtOnce(fileOf(...good, line))
    expect([status, errors.map((error) => error.split(' must')[0]).toSorted()]).toEqual([
      'failed',
      [expect.stringMatching(/^line 3: color is unknown/), 'line 3: description', 'line 3: name'],
    ])
  })

  test.each([1, 1000])(
    'an object that two lines name in different ways: %i lines at a time',
    async (perPart) => {
      const { id: book } = await newBook({ external_ref: 'b' })
      const { id } = await newPrice(book, { external_ref: 'p1', sku: 'SKU-1' })
      const job = priceImportOf(perPart)
      const attributes = { external_ref: 'p1', sku: 'SKU-1', currencies: usd(2) }
      const byRef = priceLine('b', 'p1', 'SKU-1', 1)
      const byId = { type: 'product-price', id, attributes }
      const inBook = { type: 'product-price', pricebook_id: book, attributes }
      for (const [one, other] of [
        [byRef, byId],
        [byId, byRef],
        [byRef, inBook],
        [inBook, byId],
      ]) {
        const [status, message] = await importAtOnce(fileOf(one ?? '', other ?? ''), job)
        expect([status, message]).toEqual([
          'failed',
          expect.stringMatching(/^line \d: duplicate .* line \d names/),
        ])
      }
      const twice = fileOf(bookLine('b'), { type: 'pricebook', id: book, attributes: { description: 'X' } })
      expect(await importAtOnce(twice, job)).toEqual([
        'failed',
        'line 1: duplicate external ref found: line 2 names the same object.',
      ])
    },
  )

  test('a message about a long text is shortened', async () => {
    const [status, message] = await importFile(fileOf(price({ id: 'x'.repeat(200_000) })))
    expect([status, message?.length, message?.slice(0, 10)]).toEqual(['failed', 1000, 'line 1: xx'])
  })

  test('nothing of an unreadable file is written; of others, the lines before the first error', async () => {
    await importAtOnce(fileOf(...good, 'x'))
    expect(await stored()).toEqual({})
    const lines = Array.from({ length: 7 }, (_, i) => priceLine('b', `p${i}`, `S${i}`, i))
    const wrong = fileOf(bookLine('b'), ...lines.with(5, priceLine('b', 'p5', 'S5', -1)))
    const twoByTwo = priceImportOf(2)
    const message = expect.stringContaining('line 7: currencies.USD.amount')
    expect(await importAtOnce(wrong, twoByTwo)).toEqual(['failed', message])
    expect(Object.keys(await stored())).toEqual(['Book b S0', 'Book b S1', 'Book b S2', 'Book b S3'])
    expect(await importAtOnce(fileOf(bookLine('b'), ...lines), twoByTwo)).toEqual(['success'])
    expect(Object.keys(await stored()).length).toBe(7)
    expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  })

  test('an external_ref of two price books', async () => {
    for (let i = 0; i < 2; i++) await newBook({ name: fresh('Twin'), external_ref: 'b' })
    const message = 'line 1: 2 price books have the external_ref b. Use the id instead.'
    expect(await importAtOnce(fileOf(bookLine('b')))).toEqual(['failed', message])
    expect(await importAtOnce(fileOf(priceLine('b', 'p', 'S', 1)))).toEqual(['failed', message])
  })
})

describe('a request is refused', () => {
  test('whose file is empty or missing', async () => {
    const { status, body } = await send('\n \n')
    expect([status, body.errors[0].source]).toEqual([422, 'file'])
    expect((await world.admin.post('/pcm/pricebooks/import', {})).status).toBe(415)
    const other = await sendForm(formOf({ texts: { file_compression: 'none' } }))
    expect(other.status).toBe(400)
  })

  test('whose file has too many lines, or a line that is too long', async () => {
    const lines = await send(gzipSync('\n'.repeat(50_001)))
    expect([lines.status, lines.body.errors[0].detail]).toEqual([422, 'The file has more than 50000 lines.'])
    const long = await send(gzipSync(`1\n${' '.repeat(256 * 1024 + 1)}`))
    expect([long.status, long.body.errors[0].detail]).toEqual([
      422,
      'line 2: the line has more than 262144 characters.',
    ])
    expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  })

  test('whose file is not UTF-8, with the place and what to do', async () => {
    const file = Buffer.concat([
      Buffer.from(`${fileOf(bookLine('b'))}\n{"a": "Gr`),
      Buffer.from([0xf6, 0xdf, 0x0a]),
    ])
    const { status, body } = await send(file)
    expect([status, body.errors[0].detail]).toEqual([
      422,
      expect.stringMatching(
        /^line 2, column 10: the file must be UTF-8, but the byte 0xF6 is not valid there\. Save the file as UTF-8/,
      ),
    ])
    expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  })

  test('whose decompressed file is too large, before it is read to its end', async () => {
    const line = Buffer.from(`${' '.repeat(200_000)}\n`)
    let bytes = 0
    async function* endless() {
      for (;;) {
        bytes += line.length
        yield line
      }
    }
    const read = async () => {
      for await (const { text } of readLines(endless())) expect(text).toBeDefined()
    }
    await expect(read()).rejects.toThrow(`The decompressed file has more than ${unpackedBytesMax} bytes.`)
    expect(bytes - unpackedBytesMax).toBeLessThanOrEqual(line.length)
  })
})
