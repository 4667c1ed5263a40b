import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let importFile: Csv['importFile']
let send: Csv['send']
let book: string
let shoe: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  ;({ importFile, send } = csvOf(world))
  const fields = {
    isbn: { field_type: 'string' },
    pages: { field_type: 'integer', validation_rules: [{ type: 'between', options: { from: 1, to: 9999 } }] },
    weight_kg: { field_type: 'float' },
    bound: { field_type: 'boolean' },
    released: { field_type: 'date' },
    genre: { field_type: 'string', default: 'novel' },
    secret: { field_type: 'string', enabled: false },
  }
  book = (await makeFlow(world.admin, 'products(book)', fields)).id
  shoe = (await makeFlow(world.admin, 'products(shoe)', { size: { field_type: 'integer', required: true } }))
    .id
  await makeFlow(world.admin, 'reviews', { stars: { field_type: 'integer' } })
})
afterAll(() => world.close())
beforeEach(() => world.sql('DELETE FROM products'))

const header = 'external_ref,name,sku,commodity_type'
const csv = (columns: string, ...rows: string[]) => [`${header},${columns}`, ...rows].join('\n')

interface ShownProduct {
  readonly name: string
  readonly version: number
  readonly main_image: string | null
  readonly templates: readonly string[] | null
  readonly entries: Readonly<Record<string, object>> | null
}

/** All products by their names, with their templates and what these say. */
async function shown(): Promise<Record<string, ShownProduct>> {
  const { rows } = await world.sql(
    `SELECT p.name, p.version, p.main_image_id AS main_image,
       (SELECT json_agg(t.id ORDER BY t.id) FROM product_templates t WHERE t.store_id = $1 AND t.product_id = p.id) AS templates,
       (SELECT json_object_agg(w.slug, e.doc) FROM flow_entries e JOIN flows w ON w.store_id = $1 AND w.id = e.flow_id
        WHERE e.store_id = $1 AND e.product_id = p.id) AS entries
     FROM products p WHERE p.store_id = $1`,
    [world.storeId],
  )
  return Object.fromEntries(rows.map((row: ShownProduct) => [row.name, row]))
}

describe('columns of templates', () => {
  const all = 'isbn pages weight_kg bound released'.split(' ').map((field) => `products(book):${field}`)

  test('attach templates to products, and write their values', async () => {
    const file = csv(
      `${all.join(',')},template:${shoe}:size`,
      'A,Dune,,physical,978,412,0.4,TRUE,1965-08-01,',
      'B,Boot,,physical,,,,,,43',
      'C,Plain,,physical,,,,,,',
    )
    expect(await importFile(file)).toEqual(['success'])
    const { Dune, Boot, Plain } = await shown()
    const dune = {
      isbn: '978',
      pages: 412,
      weight_kg: 0.4,
      bound: true,
      released: '1965-08-01',
      genre: 'novel',
    }
    expect([Dune?.entries, Dune?.templates]).toEqual([{ 'products(book)': dune }, [book]])
    expect([Boot?.entries, Boot?.templates]).toEqual([{ 'products(shoe)': { size: 43 } }, [shoe]])
    expect([Plain?.entries, Plain?.templates]).toEqual([null, null])
  })

  test('change only fields with a column; an empty cell is an empty text or null', async () => {
    const id = `template:${book}`
    await importFile(
      csv(`${id}:isbn,${id}:pages,${id}:genre`, 'A,Dune,,physical,978,412,epic', 'B,Emma,,physical,,3,'),
    )
    await importFile(
      csv('template:products(book):isbn,products(book):pages', 'A,Dune,,physical,,', 'B,Emma,,physical,,4'),
    )
    const { Dune, Emma } = await shown()
    expect(Dune?.entries).toMatchObject({ 'products(book)': { isbn: '', pages: null, genre: 'epic' } })
    expect(Emma?.entries).toMatchObject({ 'products(book)': { isbn: '', pages: 4, genre: '' } })
  })

  test('make exactly one new version of a product', async () => {
    await importFile(
      csv('products(book):isbn', 'A,Dune,,physical,1', 'B,Emma,,physical,1', 'C,Jane,,physical,1'),
    )
    await importFile(
      csv('products(book):isbn', 'A,Dune,dune,physical,2', 'B,Emma,,physical,2', 'C,Jane,,physical,1'),
    )
    const { Dune, Emma, Jane } = await shown()
    expect([Dune?.version, Emma?.version, Jane?.version]).toEqual([1, 1, 0])
    const { rows } = await world.feed(`SELECT count(*)::int AS n FROM changes WHERE type = 'entry'`)
    await importFile(csv('products(book):isbn', 'C,Jane,,physical,1'))
    expect((await world.feed(`SELECT count(*)::int AS n FROM changes WHERE type = 'entry'`)).rows).toEqual(
      rows,
    )
  })

  test('refuse values that the template refuses, and nothing of the row is written', async () => {
    await importFile(csv('products(shoe):size', 'A,Boot,,physical,43', 'Z,Sandal,,physical,44'))
    const file = csv(
      'products(book):pages,products(shoe):size,products(book):released',
      'A,Changed,,physical,0,43,',
      'B,New,,physical,1.5,,',
      'C,Newer,,physical,,,next week',
      'D,,,physical,1,,',
      'Z,Again,,physical,,,',
      'E,Newest,,physical,7,,2026-02-28',
    )
    expect(await importFile(file)).toEqual([
      'failed',
      'row 2, column products(book):pages: must be from 1 to 9999, not 0.',
      'row 3, column products(book):pages: must be a whole number or null, not 1.5.',
      expect.stringMatching(/^row 4, column products\(book\):released: must be a day .* not "next week"\.$/),
      'row 5, column name: must be a string of 1 to 500 characters, not "".',
      'row 6, column products(shoe):size: must be a whole number, not null.',
    ])
    const now = await shown()
    expect(Object.keys(now).toSorted()).toEqual(['Boot', 'Newest', 'Sandal'])
    expect([now.Boot?.version, now.Boot?.entries]).toEqual([0, { 'products(shoe)': { size: 43 } }])
    expect((await world.sql('SELECT FROM flow_entries')).rowCount).toBe(3)
  })

  test('report all faults of a row once, with their columns', async () => {
    const file = csv(
      'main_image_id,products(book):pages,products(book):released,products(shoe):size',
      'A,,,none,picture,0,soon,big',
    )
    const [status, ...errors] = await importFile(file)
    expect([status, errors.map((error) => error.split(': ')[0])]).toEqual([
      'failed',
      [
        'row 2, column main_image_id',
        'row 2, column name',
        'row 2, column commodity_type',
        'row 2, column products(book):pages',
        'row 2, column products(book):released',
        'row 2, column products(shoe):size',
      ],
    ])
  })

  test('attach at most as many templates as a product may have', async () => {
    await importFile(csv('products(shoe):size', 'A,Dune,,physical,43', 'B,Emma,,physical,43'))
    await world.sql(
      `WITH made AS (
         INSERT INTO flows (store_id, id, created_at, updated_at, doc)
         SELECT $1, gen_random_uuid(), now(), now(), json_build_object('slug', 'many-' || g) FROM generate_series(1, 499) g
         RETURNING id)
       INSERT INTO product_templates (store_id, product_id, id, created_at, updated_at, doc)
       SELECT $1, p.id, made.id, now(), now(), '{}' FROM products p, made WHERE p.store_id = $1 AND p.name = 'Dune'`,
      [world.storeId],
    )
    const rows = ['A,Dune,,physical,978,44', 'B,Emma,,physical,978,44']
    expect(await importFile(csv('products(book):isbn,products(shoe):size', ...rows))).toEqual([
      'failed',
      'row 2: A product may have at most 500 templates.',
    ])
    const { Dune, Emma } = await shown()
    expect([Dune?.entries, Emma?.templates?.length]).toEqual([{ 'products(shoe)': { size: 43 } }, 2])
    await world.sql(`DELETE FROM flows WHERE slug LIKE 'many-%'`)
  })

  test('have dates as the locale writes them', async () => {
    const file = csv(
      'products(book):released',
      'A,Dune,,physical,2/1/2026 15:04:05',
      'B,Emma,,physical,31/12/26 1:02',
    )
    expect(await importFile(file, '?locale=en-US')).toEqual([
      'failed',
      expect.stringMatching(/^row 3, column products\(book\):released: must be a date as en-US writes it /),
    ])
    expect((await shown()).Dune?.entries).toMatchObject({
      'products(book)': { released: '2026-02-01 15:04:05' },
    })
    expect(await importFile(file, '?locale=en-GB')).toEqual(['success'])
    const { Dune, Emma } = await shown()
    expect(Dune?.entries).toMatchObject({ 'products(book)': { released: '2026-01-02 15:04:05' } })
    expect(Emma?.entries).toMatchObject({ 'products(book)': { released: '2026-12-31 01:02:00' } })
    const days = csv(
      ' products(book) : released ',
      'A,Dune,,physical,12/31/2020',
      'B,Emma,,physical,31/12/20',
    )
    expect(await importFile(days, '?locale=en-US')).toEqual([
      'failed',
      expect.stringMatching(/^row 3, column products\(book\):released: must be a date as en-US writes it /),
    ])
    expect((await shown()).Dune?.entries).toMatchObject({ 'products(book)': { released: '2020-12-31' } })
    const [status, ...errors] = await importFile(file, '?locale=de-DE')
    expect([status, errors.length]).toEqual(['failed', 2])
    expect(errors[0]).toContain(
      'as the query parameter `locale` says (en-US, en-GB or en-CA), not "2/1/2026 15:04:05"',
    )
  })

  test.each([
    ['products(toy):isbn', /^unknown csv header: products\(toy\):isbn\./],
    ['products(book):isbm', /^unknown csv header/],
    ['products(book):secret', /^unknown csv header/],
    ['template:reviews:stars', /^unknown csv header/],
    [`template:${randomUUID()}:isbn`, /^unknown csv header/],
    ['products(book):isbn,template:products(book):isbn', /are the same field\. /],
  ])('that do not exist are refused: %s', async (column, detail) => {
    const { status, body } = await send(csv(column, 'A,Dune,,physical,1'))
    expect([status, body.errors[0].detail]).toEqual([422, expect.stringMatching(detail)])
    expect((await world.sql('SELECT FROM product_import_rows')).rowCount).toBe(0)
  })
})

describe('the column of the main image', () => {
  async function newFile(): Promise<string> {
    const part =
      'content-disposition: form-data; name="file_location"\r\n\r\nhttps://pictures.example.com/a.png'
    const { body } = await world.admin.send('POST', '/v2/files', {
      body: `--b\r\n${part}\r\n--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    return body.data.id
  }

  test('sets the main image of products, and removes it if the cell is empty', async () => {
    const [one, other] = [await newFile(), await newFile()]
    const gone = randomUUID()
    const rows = (...ids: string[]) => ids.map((id, i) => `R${i},P${i},,physical,${id}`)
    const column = 'main_image_id'
    expect(await importFile(csv(column, ...rows(one.toUpperCase(), other, '')))).toEqual(['success'])
    const images = async () => Object.values(await shown()).map(({ name, main_image }) => [name, main_image])
    expect((await images()).toSorted()).toEqual([
      ['P0', one],
      ['P1', other],
      ['P2', null],
    ])
    expect(await importFile(csv(column, ...rows(one, '', gone, 'picture')))).toEqual([
      'failed',
      `row 4, column main_image_id: There is no file with the id ${gone}.`,
      'row 5, column main_image_id: There is no file with the id picture.',
    ])
    expect((await images()).toSorted()).toEqual([
      ['P0', one],
      ['P1', null],
      ['P2', null],
    ])
    await importFile(`${header}\nR0,P0,,physical`)
    expect((await images()).toSorted()).toEqual([
      ['P0', one],
      ['P1', null],
      ['P2', null],
    ])
    const { body } = await world.admin.get('/pcm/products?filter=eq(name,P0)')
    expect(body.data[0].relationships.main_image).toEqual({ data: { type: 'file', id: one } })
    expect((await shown()).P0?.version).toBe(0)
  })
})
