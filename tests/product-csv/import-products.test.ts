import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let importFile: Csv['importFile']
let send: Csv['send']
beforeAll(async () => {
  world = await openWorld()
  ;({ importFile, send } = csvOf(world))
})
afterAll(() => world.close())
beforeEach(() => world.sql('DELETE FROM products'))

const header = 'external_ref,name,sku,commodity_type'

/** All products by their names, without what is another each time. */
async function assortment(): Promise<Record<string, unknown>> {
  const { rows } = await world.sql(
    `SELECT doc->'attributes' AS attributes FROM products WHERE store_id = $1`,
    [world.storeId],
  )
  return Object.fromEntries(rows.map(({ attributes }) => [attributes.name, attributes]))
}

describe('a file', () => {
  test('makes products of its rows, and changes those that it names', async () => {
    const first = [
      'external_ref,name,description,sku,commodity_type,status,tags,admin_attributes.bin,shopper_attributes.hue',
      'B-1,Dune,Sand,dune-1,physical,live,"scifi, Classic",,red',
      'B-2,Emma,,emma-1,digital,,,A7,__REMOVE_ATTRIBUTE__',
    ]
    expect(await importFile(first.join('\r\n'))).toEqual(['success'])
    expect(await assortment()).toMatchObject({
      Dune: {
        external_ref: 'B-1',
        description: 'Sand',
        status: 'live',
        tags: ['scifi', 'classic'],
        admin_attributes: { bin: '' },
        shopper_attributes: { hue: 'red' },
      },
      Emma: { commodity_type: 'digital', status: 'draft', tags: [], admin_attributes: { bin: 'A7' } },
    })
    const second = [
      'sku,tags,external_ref,name,commodity_type,admin_attributes.bin',
      'emma-2,novel,B-2,Emma II,physical,__REMOVE_ATTRIBUTE__',
    ]
    expect(await importFile(second.join('\n'))).toEqual(['success'])
    const now = await assortment()
    expect(Object.keys(now).toSorted()).toEqual(['Dune', 'Emma II'])
    expect(now['Emma II']).toMatchObject({ sku: 'emma-2', tags: ['novel'], admin_attributes: {} })
  })

  test('that is sent again changes nothing', async () => {
    const csv = `${header},tags\nB-1,Dune,dune,physical,a\nB-2,Emma,,digital,\n`
    await importFile(csv)
    const versions = () => world.sql('SELECT id, version, updated_at FROM products ORDER BY id')
    const before = (await versions()).rows
    expect(await importFile(csv)).toEqual(['success'])
    expect((await versions()).rows).toEqual(before)
  })

  test('begins with a mark of its encoding, quotes cells with line ends, and has empty lines', async () => {
    const csv = `\ufeff${header},description\n\nB-1,"Du""ne",dune,physical,"one\r\ntwo, three"\r\n\nB-2,Emma,,nothing,x\n`
    expect(await importFile(csv)).toEqual([
      'failed',
      expect.stringMatching(/^line 6, column commodity_type: .*"physical", "digital", not "nothing"\.$/),
    ])
    expect(await assortment()).toMatchObject({ 'Du"ne': { description: 'one\r\ntwo, three' } })
  })
})

describe('rows that fail are told, and the others go in', () => {
  test('each with its line and its column', async () => {
    await importFile(`${header}\nB-0,Taken,taken,physical\n`)
    const unknown = crypto.randomUUID()
    const csv = [
      'id,external_ref,name,sku,commodity_type,tags',
      ',B-1,One,one,physical,',
      ',B-2,Two,taken,physical,',
      ',B-3,,three,physical,',
      'nonsense,,Four,four,physical,',
      `${unknown},,Five,five,physical,`,
      ',B-6,Six,six',
      ',B-7,Seven,seven,physical,a b',
      ',B-8,Eight,one,physical,',
      ',B-9,Ni\0ne,nine,physical,',
      ',B-10,Ten,ten,physical,',
    ]
    const [status, ...errors] = await importFile(csv.join('\n'))
    expect(status).toBe('failed')
    expect(errors).toEqual([
      'line 3, column sku: Must be unique amongst products.',
      expect.stringMatching(/^line 4, column name: /),
      'line 5, column id: nonsense is no id of a product.',
      `line 6, column id: There is no product with the id ${unknown}.`,
      'line 7: The row has 4 cells, and the header 6.',
      expect.stringMatching(/^line 8, column tags\.0: /),
      'line 9, column sku: Must be unique amongst products.',
      expect.stringMatching(/^line 10, column name: .*NUL/),
    ])
    expect(Object.keys(await assortment()).toSorted()).toEqual(['One', 'Taken', 'Ten'])
  })

  test('an external_ref that several products have names none of them', async () => {
    for (const name of ['One', 'Two']) {
      const attributes = { name, commodity_type: 'physical', external_ref: 'same' }
      await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    }
    expect(await importFile(`${header}\nsame,Three,,physical\n`)).toEqual([
      'failed',
      expect.stringMatching(/^line 2, column external_ref: 2 products have this external_ref/),
    ])
  })
})

describe('a file is refused as a whole', () => {
  const refused = async (csv: string) => {
    const { status, body } = await send(csv)
    return [status, body.errors[0].title, body.errors[0].detail]
  }
  test.each([
    ['', 422, /empty/],
    ['name,sku\nA,a\n', 422, /^missing required csv header: commodity_type$/],
    [`${header},weight\n`, 422, /^unknown csv header: weight\. A column is id, /],
    [`${header},sku\n`, 422, /^The csv header has sku twice\.$/],
    [`${header}\nB,"open,b,physical\n`, 422, /^The file is no CSV: /],
    [`${header}\nB,"cl"osed,b,physical\n`, 422, /^The file is no CSV: /],
    [`${header}\n${'B,N,,physical\n'.repeat(50_000)}`, 422, /more than 50000 rows/],
  ])('%#', async (csv, status, detail) => {
    expect(await refused(csv)).toEqual([status, 'Failed Validation', expect.stringMatching(detail)])
    expect((await world.sql('SELECT FROM product_import_rows')).rowCount).toBe(0)
  })

  test('without one', async () => {
    expect((await send('x', { part: 'other' })).status).toBe(400)
  })
})
