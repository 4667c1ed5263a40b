import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { productImportOf } from '../../../server/assortment/product-csv/product-import.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let importFile: Csv['importFile']
let send: Csv['send']
beforeAll(async () => {
  world = await openWorld({ alone: true })
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
  test('creates and updates products from its rows', async () => {
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

  test('changes nothing when it is sent again', async () => {
    const csv = `${header},tags\nB-1,Dune,dune,physical,a\nB-2,Emma,,digital,\n`
    await importFile(csv)
    const versions = () => world.sql('SELECT id, version, updated_at FROM products ORDER BY id')
    const before = (await versions()).rows
    expect(await importFile(csv)).toEqual(['success'])
    expect((await versions()).rows).toEqual(before)
  })

  test('may have a byte order mark, quoted cells with line ends, and empty lines', async () => {
    const csv = `\ufeff${header},description\n\nB-1,"Du""ne",dune,physical,"one\r\ntwo, three"\r\n\nB-2,Emma,,nothing,x\n`
    expect(await importFile(csv)).toEqual([
      'failed',
      expect.stringMatching(/^row 5, column commodity_type: .*"physical", "digital", not "nothing"\.$/),
    ])
    expect(await assortment()).toMatchObject({ 'Du"ne': { description: 'one\r\ntwo, three' } })
  })
})

describe('rows with faults are reported, and the others are imported', () => {
  test('each fault with its row and column', async () => {
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
      'row 3, column sku: Must be unique amongst products.',
      'row 4, column name: must be a string of 1 to 500 characters, not "".',
      'row 5, column id: nonsense is not the id of a product.',
      `row 6, column id: There is no product with the id ${unknown}.`,
      'row 7: The row has 4 cells, but the header has 6. Every row needs as many cells as the header.',
      expect.stringMatching(/^row 8, column tags\.0: /),
      'row 9, column sku: row 2 has the same sku. A file may name each product only once.',
      expect.stringMatching(/^row 10, column name: .*NUL/),
    ])
    expect(Object.keys(await assortment()).toSorted()).toEqual(['One', 'Taken', 'Ten'])
  })

  test('an external_ref of several products names none of them', async () => {
    for (const name of ['One', 'Two']) {
      const attributes = { name, commodity_type: 'physical', external_ref: 'same' }
      await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    }
    expect(await importFile(`${header}\nsame,Three,,physical\n`)).toEqual([
      'failed',
      expect.stringMatching(
        /^row 2, column external_ref: 2 products have the external_ref same\. Use the id/,
      ),
    ])
  })
})

describe('rows that name the same product', () => {
  test.each([
    ['id,external_ref', [`${'a'.repeat(36)},R1`, `${'a'.repeat(36)},R2`], 'id'],
    ['external_ref', ['R1', 'R2', 'R1'], 'external_ref'],
    ['id,external_ref', [',R1', `${crypto.randomUUID()},R1`], 'external_ref'],
  ])('by %s %j: the later one is refused, and names the earlier one', async (columns, cells, column) => {
    const rows = cells.map((cell, i) => `${cell},P${i},,physical`)
    const [, ...errors] = await importFile([`${columns},name,sku,commodity_type`, ...rows].join('\n'))
    const last = cells.length + 1
    const message = `row ${last}, column ${column}: row 2 has the same ${column}. A file may name each product only once.`
    expect(errors.filter((error) => error.startsWith(`row ${last},`))).toEqual([message])
    expect(Object.keys(await assortment())).not.toContain(`P${cells.length - 1}`)
  })

  test('are reported once each, even with other rows between them', async () => {
    const rows = Array.from({ length: 1200 }, (_, i) => `R${i},P${i},s${i},physical`)
    rows.push('R0,Again,s1,physical')
    expect(await importFile([header, ...rows].join('\n'))).toEqual([
      'failed',
      'row 1202, column external_ref: row 2 has the same external_ref. A file may name each product only once.',
      'row 1202, column sku: row 3 has the same sku. A file may name each product only once.',
    ])
    const { P0, P1, Again } = await assortment()
    expect([P0, P1, Again]).toEqual([expect.anything(), expect.anything(), undefined])
  })

  test('may share an external_ref if each row has its id', async () => {
    const ids: string[] = []
    for (const name of ['One', 'Two']) {
      const attributes = { name, commodity_type: 'physical', external_ref: 'same' }
      const { body } = await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
      ids.push(body.data.id)
    }
    const rows = ids.map((id, i) => `${id},same,New ${i},,physical`)
    expect(await importFile([`id,${header}`, ...rows].join('\n'))).toEqual(['success'])
    expect(Object.keys(await assortment()).toSorted()).toEqual(['New 0', 'New 1'])
  })

  test.each([1, 1000])(
    'one by its id and one by its external_ref: %i rows at a time',
    async (rowsPerPart) => {
      const { importAtOnce } = csvOf(world)
      await importFile(`${header}\nR1,One,,physical`)
      const { id } = (await world.admin.get('/pcm/products')).body.data[0]
      const rows = [',R1,By ref,,physical', `${id},R2,By id,,physical`]
      const message =
        'row 2, column external_ref: row 3 names the same product by its id. A file may name each product only once.'
      const file = [`id,${header}`, ...rows].join('\n')
      expect(await importAtOnce(file, productImportOf(rowsPerPart))).toEqual([message])
      expect(Object.keys(await assortment())).toEqual(['By id'])
    },
  )

  test('an error is reported once, however many later rows share its products', async () => {
    await importFile(
      [header, ...Array.from({ length: 30 }, (_, i) => `R${i},P${i},s${i},physical`)].join('\n'),
    )
    // Each row gives up the SKU that the next one takes.
    const rows = Array.from({ length: 30 }, (_, i) => `,R${i},P${i},s${i - 1 < 0 ? 'x' : i - 1},physical`)
    const file = [`id,${header}`, ...rows, 'nonsense,,N,,physical'].join('\n')
    expect(await importFile(file)).toEqual([
      'failed',
      'row 32, column id: nonsense is not the id of a product.',
    ])
    const { P0, P29 } = (await assortment()) as Record<string, { sku: string }>
    expect([P0?.sku, P29?.sku]).toEqual(['sx', 's28'])
  })
})

describe('files as spreadsheets and suppliers write them', () => {
  const bytesOf = (text: string) => Buffer.from(text)
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')

  test.each<[string, Buffer]>([
    ['semicolons', bytesOf('external_ref;name;sku;commodity_type;description\nR;Größe;s;physical;1,5')],
    ['tabs', bytesOf('external_ref\tname\tsku\tcommodity_type\tdescription\nR\tGröße\ts\tphysical\t1,5')],
    [
      'capitals and spaces',
      bytesOf('External_Ref, NAME ,SKU,Commodity Type,Description\r\nR,Größe,s,physical,"1,5"'),
    ],
    ['a BOM', bytesOf('\ufeffexternal_ref,name,sku,commodity_type,description\nR,Größe,s,physical,"1,5"')],
    [
      'UTF-16, tabs',
      utf16('\ufeffexternal_ref\tname\tsku\tcommodity_type\tdescription\nR\tGröße\ts\tphysical\t1,5'),
    ],
    [
      'UTF-16, big-endian',
      utf16('\ufeffexternal_ref;name;sku;commodity_type;description\nR;Größe;s;physical;1,5').swap16(),
    ],
    [
      'empty columns at the end',
      bytesOf('external_ref,name,sku,commodity_type,description,,\nR,Größe,s,physical,"1,5", ,\n,,,,,,,,\n'),
    ],
    [
      'a line for Excel',
      bytesOf('sep=;\r\nexternal_ref;name;sku;commodity_type;description\r\nR;Größe;s;physical;1,5'),
    ],
    [
      'empty rows',
      bytesOf(
        '\n,,,,\nexternal_ref,name,sku,commodity_type,description\n\n,,,,\nR,Größe,s,physical,"1,5"\n,,,,\n',
      ),
    ],
  ])('%s', async (_, file) => {
    expect(await importFile(file)).toEqual(['success'])
    expect(await assortment()).toEqual({
      Größe: expect.objectContaining({ external_ref: 'R', sku: 's', description: '1,5' }),
    })
  })

  test('choices may have capitals and spaces around them', async () => {
    expect(await importFile('name,sku,commodity_type,status\nA,a, Physical ,LIVE\n')).toEqual(['success'])
    expect(await assortment()).toEqual({
      A: expect.objectContaining({ commodity_type: 'physical', status: 'live' }),
    })
  })

  test('headers, SKUs and other codes may have white space around them', async () => {
    await importFile(`${header}\nB-1,Dune,dune-1,physical`)
    const file = [
      ' External  Ref ,NAME, sku\t,Commodity Type,mpn , Admin_Attributes. bin ',
      ' B-1 ,Dune II, dune-2 ,physical,\u00a0M-1\u00a0,A7',
      'B-3,Emma,\temma-1,digital,,',
    ]
    expect(await importFile(file.join('\n'))).toEqual(['success'])
    expect(await assortment()).toMatchObject({
      'Dune II': { external_ref: 'B-1', sku: 'dune-2', mpn: 'M-1', admin_attributes: { bin: 'A7' } },
      Emma: { external_ref: 'B-3', sku: 'emma-1' },
    })
    expect(await importFile(`${header}\n,Sand,sand,physical\n,Sand II, sand ,physical`)).toEqual([
      'failed',
      'row 3, column sku: row 2 has the same sku. A file may name each product only once.',
    ])
  })

  test('a SKU that is stored with white space around it stays as it is', async () => {
    const attributes = { name: 'Dune', sku: ' dune ', commodity_type: 'physical' }
    const { body } = await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    const { id } = body.data
    expect(await importFile(`id,name,sku,commodity_type\n${id},Dune, dune ,physical`)).toEqual(['success'])
    expect((await assortment()).Dune).toMatchObject({ sku: ' dune ' })
    expect(await importFile(`id,name,sku,commodity_type\n${id},Dune, dune-2 ,physical`)).toEqual(['success'])
    expect((await assortment()).Dune).toMatchObject({ sku: 'dune-2' })
  })

  test('a quote inside a cell is a quote', async () => {
    expect(await importFile(`${header}\nR,Pan 10" deep,s,physical`)).toEqual(['success'])
    expect(Object.keys(await assortment())).toEqual(['Pan 10" deep'])
  })

  test('cells behind the last column are refused unless they are empty', async () => {
    expect(await importFile(`${header},\nR,A,a,physical,,\nS,B,b,physical,12\n`)).toEqual([
      'failed',
      'row 3: The row has 5 cells, but the header has 4. Every row needs as many cells as the header.',
    ])
    expect(Object.keys(await assortment())).toEqual(['A'])
  })

  test('bytes that are not UTF-8 are refused, with their place and what to do', async () => {
    const file = Buffer.concat([bytesOf(`${header}\nR,ok,s,physical\nS,Gr`), Buffer.from([0xf6, 0xdf])])
    const { status, body } = await send(Buffer.concat([file, bytesOf('e,t,physical\n')]))
    expect([status, body.errors[0].title, body.errors[0].detail]).toEqual([
      422,
      'Failed Validation',
      'row 3, column name: the file must be UTF-8, but the byte 0xF6 is not valid there. Save the file as UTF-8 and send ' +
        'it again. In a spreadsheet, choose the file type "CSV UTF-8".',
    ])
    expect((await world.sql('SELECT FROM product_import_rows')).rowCount).toBe(0)
  })

  test('all faults of a header are reported together', async () => {
    const { status, body } = await send('name;weight;weight;hue\nA;1;1;1\n')
    expect([status, body.errors.map((error: { detail: string }) => error.detail)]).toEqual([
      422,
      [
        'missing required csv header: sku. The header was read as 4 columns, separated by semicolons: ' +
          'name | weight | weight | hue.',
        'missing required csv header: commodity_type',
        expect.stringMatching(/^unknown csv header: weight\. /),
        'The csv header weight appears twice: in columns 2 and 3.',
        expect.stringMatching(/^unknown csv header: hue\. /),
      ],
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
    [
      'name,sku\nA,a\n',
      422,
      /^missing required csv header: commodity_type\. .* 2 columns, separated by commas: name \| sku\.$/,
    ],
    [`${header},weight\n`, 422, /^unknown csv header: weight\. Valid columns are id, /],
    [`${header},sku\n`, 422, /^The csv header sku appears twice: in columns 3 and 5\. /],
    [
      `${header}\nB,"open,b,physical\n`,
      422,
      /^row 2, column name: the cell has an opening quote without a closing one\.$/,
    ],
    [`${header},,note\n`, 422, /^Column 5 has no name in the header\. /],
    ['PK\x03\x04\x14\0', 422, /^The file is a workbook or another zip file, not CSV\./],
    [`${header}\nB,"cl"osed,b,physical\n`, 422, /^row 2, column name: the cell has text after its closing/],
    [`${header}\n${'B,N,,physical\n'.repeat(50_000)}`, 422, /more than 50000 rows/],
  ])('%#', async (csv, status, detail) => {
    expect(await refused(csv)).toEqual([status, 'Failed Validation', expect.stringMatching(detail)])
    expect((await world.sql('SELECT FROM product_import_rows')).rowCount).toBe(0)
  })

  test('without one', async () => {
    expect((await send('x', { part: 'other' })).status).toBe(400)
  })
})
