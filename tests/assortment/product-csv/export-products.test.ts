import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forgetOrphans } from '../../../server/store/files/files.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let csv: Csv
let book: string
let now: () => Date = () => new Date()
beforeAll(async () => {
  world = await openWorld({ clock: { now: () => now() } })
  csv = csvOf(world)
  const fields = { isbn: { field_type: 'string' }, pages: { field_type: 'integer' } }
  book = (await makeFlow(world.admin, 'products(book)', fields)).id
})
afterAll(() => world.close())
beforeEach(async () => {
  for (const which of ["product_type = 'bundle'", 'true'])
    await world.sql(`DELETE FROM products WHERE ${which}`)
})

const make = async (name: string, attributes: object = {}): Promise<string> => {
  const all = { name, commodity_type: 'physical', ...attributes }
  const { status, body } = await world.admin.post('/pcm/products', {
    data: { type: 'product', attributes: all },
  })
  expect(status).toBe(201)
  return body.data.id
}
const include = (...columns: string[]) => ({
  data: { type: 'product-export', attributes: { columns: { include: columns } } },
})
const always = ['id', 'name', 'sku', 'external_ref', 'commodity_type']

/** The rows of an export as objects, by the names of their products. */
async function exported(query = '', body?: object): Promise<Record<string, Record<string, string>>> {
  const [link = ''] = await csv.exportFile(query, body)
  const [header = [], ...rows] = await csv.read(link)
  const objects = rows.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])))
  return Object.fromEntries(objects.map((row) => [row.name, row]))
}

describe('an export', () => {
  test('has all columns, and cells that change nothing when they are imported', async () => {
    const keys = { admin_attributes: { bin: 'A7', 'a, "b"': '' }, shopper_attributes: { hue: 'red' } }
    const facts = {
      sku: 'dune-1',
      description: 'Sand,\nmore "sand"',
      tags: ['scifi', 'classic'],
      status: 'live',
    }
    const dune = await make('Dune', { ...facts, ...keys })
    const emma = await make('Emma', { admin_attributes: { bin: 'A8' } })
    await world.admin.post('/v2/flows/products(book)/entries', {
      data: { type: 'entry', id: dune, pages: 412 },
    })
    const { Dune, Emma } = await exported()
    expect(Dune).toEqual({
      ...{ id: dune, name: 'Dune', sku: 'dune-1', external_ref: '', commodity_type: 'physical' },
      ...{
        description: facts.description,
        slug: '',
        status: 'live',
        mpn: '',
        upc_ean: '',
        tags: 'scifi,classic',
      },
      ...{ main_image_id: '', 'admin_attributes.bin': 'A7', 'admin_attributes.a, "b"': '' },
      ...{
        'shopper_attributes.hue': 'red',
        [`template:${book}:isbn`]: '',
        [`template:${book}:pages`]: '412',
      },
      _created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      _updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(Emma).toMatchObject({
      ...{ id: emma, 'admin_attributes.bin': 'A8', 'admin_attributes.a, "b"': '__REMOVE_ATTRIBUTE__' },
      ...{ 'shopper_attributes.hue': '__REMOVE_ATTRIBUTE__', [`template:${book}:pages`]: '' },
    })
  })

  test('leaves out bundles, and products that do not match the filter', async () => {
    const part = await make('Part', { status: 'live', tags: ['new'] })
    await make('Draft', { tags: ['new'] })
    const components = { it: { name: 'It', options: [{ id: part, type: 'product', quantity: 2 }] } }
    await make('Kit', { components, sku: 'kit', status: 'live' })
    expect(Object.keys(await exported('', {}))).toEqual(['Part', 'Draft'])
    const filter = 'eq(status,live):eq(tags,NEW)'
    expect(Object.keys(await exported(`?filter=${filter}`, include()))).toEqual(['Part'])
    const { data } = (await world.admin.get('/pcm/jobs')).body
    expect([data[0].meta.filter, data[0].meta.progress]).toEqual([filter, { done: 1, of: 1 }])
    expect(await csv.exportFile('?filter=eq(name,Nobody)')).toEqual([])
  })

  test.each<[string, string[], string[]]>([
    ['', [], []],
    ['', ['description', 'name', '_created_at'], ['description', '_created_at']],
    [
      '',
      ['admin_attributes.*', 'shopper_attributes.hue'],
      ['admin_attributes.bin', 'shopper_attributes.hue'],
    ],
    ['?useTemplateSlugs=true', ['products(book):isbn'], ['products(book):isbn']],
    ['?useTemplateSlugs=true', ['template:products(book):pages'], ['products(book):pages']],
  ])('%s has the columns %j beside those that are always there', async (query, columns, others) => {
    await make('Dune', { admin_attributes: { bin: 'A7' }, shopper_attributes: { size: 'L' } })
    const [link = ''] = await csv.exportFile(query, include(...columns))
    expect((await csv.read(link))[0]).toEqual([...always, ...others])
  })

  test.each([
    [422, '', include('weight'), /^There is no column weight\./],
    [422, '', include('products(book):weight'), /no template has this field/],
    [422, '', include(`template:${randomUUID()}:isbn`), /no template has this field/],
    [422, '', include('admin_attributes.*', 'admin_attributes.bin'), /not both/],
    [400, '?filter=eq(weight,1)', undefined, /unknown field \[weight\]/],
    [400, '?filter=eq(', undefined, /filter/],
    [400, '', { data: { type: 'export' } }, /data\.type/],
    [400, '', { data: { type: 'product-export', attributes: { columns: { include: 'name' } } } }, /an array/],
  ])('is refused with %i%s %j, and no job is made', async (status, query, body, detail) => {
    const jobs = async () => (await world.admin.get('/pcm/jobs')).body.meta.results.total
    const before = await jobs()
    const reply = await world.admin.post(`/pcm/products/export${query}`, body)
    expect([reply.status, reply.body.errors[0].detail]).toEqual([status, expect.stringMatching(detail)])
    expect(await jobs()).toBe(before)
  })

  test('fails if it would have more columns than an import may have, and says what to do', async () => {
    for (const letter of 'abcdefghij') {
      const keys = Array.from({ length: 100 }, (_, i) => [`${letter}${i}`, ''])
      await make(letter, { admin_attributes: Object.fromEntries(keys) })
    }
    const { data } = (await world.admin.post('/pcm/products/export')).body
    expect((await csv.ending(data.id)).attributes.status).toBe('failed')
    const { body } = await world.admin.get(`/pcm/jobs/${data.id}/errors`)
    expect(body.data[0].attributes.message).toMatch(
      /at most 1000 columns, and this one would have 1016: list the columns/,
    )
  })
})

describe('its files', () => {
  const idsIn = async (links: readonly string[]) =>
    Promise.all(links.map(async (link) => (await csv.read(link)).slice(1).map(([id]) => id)))
  const makeSome = async (n: number, attributes = {}) => {
    const ids: string[] = []
    for (let i = 0; i < n; i++) ids.push(await make(`P${i}`, attributes))
    return ids.toSorted()
  }

  test('are limited in rows and bytes, and have every product once', async () => {
    const ids = await makeSome(7, { description: 'x'.repeat(300) })
    const byRows = await csv.exportAtOnce({ rows: 3 })
    expect(await idsIn(byRows)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
    expect(byRows.map((link) => new URL(link).pathname.replace(/.*_part/, 'part'))).toEqual([
      ...['part_1.csv', 'part_2.csv', 'part_3.csv'],
    ])
    const byBytes = await csv.exportAtOnce({ bytes: 1700 })
    const sizes = await Promise.all(byBytes.map(async (link) => (await (await fetch(link)).text()).length))
    expect([sizes.length > 2, Math.max(...sizes) <= 1700]).toEqual([true, true])
    expect((await idsIn(byBytes)).flat()).toEqual(ids)
    expect((await idsIn(await csv.exportAtOnce({ bytes: 1 }))).map((some) => some.length)).toEqual(
      ids.map(() => 1),
    )
  })

  test('are listed once each, even if two workers write them at once', async () => {
    const ids = await makeSome(9)
    const links = await csv.exportAtOnce({ rows: 2, workers: 3 })
    expect((await idsIn(links)).map((some) => some.length)).toEqual([2, 2, 2, 2, 1])
    expect((await idsIn(links)).flat()).toEqual(ids)
  })

  test('can be read with the link for an hour, and are deleted after a week', async () => {
    await make('Dune')
    const [link = ''] = await csv.exportFile()
    const reply = await fetch(link)
    const { headers } = reply
    const name = new URL(link).pathname.split('/').at(-1)
    expect([reply.status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      ...[200, 'text/csv; charset=utf-8', `attachment; filename="${name}"`],
    ])
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200)
    const later = new URL(link)
    later.searchParams.set('until', String(Number(later.searchParams.get('until')) + 1))
    const foreign = link.replace(
      world.storeId,
      (await world.sql('SELECT id FROM stores ORDER BY created_at DESC')).rows[0].id,
    )
    for (const altered of [
      `${link}x`,
      link.split('?')[0] ?? '',
      later.href,
      foreign,
      link.replace('part_1', 'part_2'),
    ]) {
      expect((await fetch(altered)).status, altered).toBe(404)
    }
    const inMinutes = (n: number) => {
      const then = Date.now() + n * 60_000
      return () => new Date(then)
    }
    try {
      now = inMinutes(59)
      expect((await fetch(link)).status).toBe(200)
      now = inMinutes(61)
      expect((await fetch(link)).status).toBe(403)
    } finally {
      now = () => new Date()
    }
    await forgetOrphans.run({ ...world.server.instance, clock: { now: inMinutes(7 * 24 * 60 + 1) } })
    expect((await fetch(link)).status).toBe(404)
  })
})
