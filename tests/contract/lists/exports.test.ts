import { parse as parseCsv } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headerLine, objectLine } from '../../../server/kernel/http/csv-line.ts'
import { orderOf } from '../../../server/kernel/shape/model.ts'
import { isLong } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import { fill, idsOf, type Listing, listings, opsOf, samplesOfEach, sortsOf } from '../listings.ts'

let world: World
let samplesOf: ReturnType<typeof samplesOfEach>
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samplesOf = samplesOfEach(world)
})
afterAll(() => world.close())

const rows = 20

type Item = Record<string, unknown>

/** The list at `path` in one of the forms of lines. */
async function linesOf(path: string, accept: string) {
  const { status, headers, text } = await world.admin.read(path, { accept })
  return { status, headers, text }
}

/** All objects of a list, page by page. */
async function pagesOf(path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let offset = 0; ; offset += 100) {
    const mark = path.includes('?') ? '&' : '?'
    const { body } = await world.admin.get(`${path}${mark}page[limit]=100&page[offset]=${offset}`)
    items.push(...body.data)
    if (body.data.length < 100) return items
  }
}

/** The value at the path that a column is named by. */
const valueAt = (item: unknown, column: string): unknown =>
  column.split('.').reduce<unknown>((value, name) => (value as Item | null | undefined)?.[name], item)

/** The text of a value in CSV. */
const cellOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** The paths of all values that are not empty. */
const leavesOf = (value: unknown, columns: ReadonlySet<string>, path = ''): string[] => {
  if (value === null || value === undefined) return []
  if (columns.has(path) || typeof value !== 'object' || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, one]) =>
    leavesOf(one, columns, path ? `${path}.${name}` : name),
  )
}

describe.each(representativesOf(listings, listTraits))('$id', (listing: Listing) => {
  let path: string
  beforeAll(async () => {
    const samples = samplesOf(listing)
    path = await samples.path(listing.path)
    await fill(world, samples, listing, path, rows)
  })

  test('has the objects of its pages as lines of JSON', async () => {
    const orders = ['', ...sortsOf(listing)]
    for (const sort of isLong ? orders : orders.slice(0, 2)) {
      const sorted = sort ? `${path}?sort=${sort}` : path
      const expected = await pagesOf(sorted)
      const { status, headers, text } = await linesOf(sorted, 'application/x-ndjson')
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
      const lines = text.split('\n').slice(0, -1)
      expect(
        lines.map((line) => JSON.parse(line)),
        `the lines by ${sort || orderOf(listing.specimen.resource)}`,
      ).toEqual(expected)
      expect(Number(headers.get('sutler-total-count'))).toBe(lines.length)
      expect(lines.length).toBeGreaterThan(0)
    }
  })

  test('has the same texts as its pages', async () => {
    const { text } = await world.admin.read(`${path}?page[limit]=1`, {})
    const { text: lines } = await linesOf(path, 'application/x-ndjson')
    const [first = ''] = lines.split('\n')
    expect(text.replaceAll(/[\r\n]+/g, ' ').slice(0, first.length + 9)).toBe(`{"data":[${first}`)
  })

  test('has the objects that a filter selects', async () => {
    const byId = opsOf(listing).some(([field, ops]) => field === 'id' && ops.includes('gt'))
    const ids = (await pagesOf(path)).map(({ id }) => String(id)).sort()
    if (!byId || ids.length < 2) return
    const filtered = `${path}?filter=gt(id,${ids[0]})`
    const { text, headers } = await linesOf(filtered, 'application/x-ndjson')
    const lines = text.split('\n').slice(0, -1)
    expect(lines.map((line) => JSON.parse(line))).toEqual(await pagesOf(filtered))
    expect(Number(headers.get('sutler-total-count'))).toBe(lines.length)
  })

  test('has the same values as CSV', async () => {
    const expected = await pagesOf(path)
    const { headers, text } = await linesOf(path, 'text/csv')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const [columns = [], ...cells] = parseCsv(text) as string[][]
    expect(cells).toEqual(expected.map((item) => columns.map((column) => cellOf(valueAt(item, column)))))
    const named = new Set(columns)
    const missing = expected.flatMap((item) => leavesOf(item, named)).filter((leaf) => !named.has(leaf))
    expect([...new Set(missing)], 'values without a column').toEqual([])
    const paths = columns.map((column) => column.split('.'))
    const { text: lines } = await linesOf(path, 'application/x-ndjson')
    const expectedLines = lines.split('\n').map((line) => (line ? objectLine(paths, line) : ''))
    expect(text).toBe([headerLine(paths), ...expectedLines].join(''))
  })

  test('refuses what only pages have', async () => {
    for (const parameter of ['page[limit]=10', 'page[offset]=0', 'page[after]=', 'include=nothing']) {
      const { status } = await linesOf(`${path}?${parameter}`, 'application/x-ndjson')
      expect([parameter, status]).toEqual([parameter, 400])
    }
  })

  test('is JSON for every other Accept', async () => {
    for (const accept of ['text/*', '*/*', 'application/json, text/csv', 'text/csv;q=0', 'text/html', '']) {
      const { headers } = await linesOf(path, accept)
      expect([accept, headers.get('content-type')]).toEqual([accept, 'application/json; charset=utf-8'])
    }
  })
})

test('CSV has any text as a program that reads the lines of JSON writes it', async () => {
  const names = [
    'plain',
    'a,b',
    'a;b',
    'a\tb',
    'say "hi"',
    '""',
    'two\nlines\r\n',
    'back\\slash, \\"',
    'ü漢😀',
    `${'long '.repeat(20)}end`,
    '{"a":[1,2]}',
    ' ',
    '=1+1',
    '\u0001\u001f\u007f\u2028',
  ]
  for (const name of names) {
    const data = { type: 'account', name, legal_name: `${name}\u00a0${name}` }
    const { status } = await world.admin.post('/v2/accounts', { data })
    expect([name, status]).toEqual([name, 201])
  }
  const { text } = await linesOf('/v2/accounts', 'text/csv')
  const { text: lines } = await linesOf('/v2/accounts', 'application/x-ndjson')
  const [columns = []] = parseCsv(text) as string[][]
  const paths = columns.map((column) => column.split('.'))
  const expected = lines.split('\n').map((line) => (line ? objectLine(paths, line) : ''))
  expect(text).toBe([headerLine(paths), ...expected].join(''))
  expect(text).toContain('"say ""hi"""')
})

test('a list of another store is as empty as its pages', async () => {
  const path = '/v2/gadgets'
  expect(idsOf(await world.other.get(path))).toEqual([])
  const { status, text } = await world.other.read(path, { accept: 'application/x-ndjson' })
  expect([status, text]).toEqual([200, ''])
  const { status: refused } = await world.nobody.read(path, { accept: 'application/x-ndjson' })
  expect(refused).toBe(401)
})
