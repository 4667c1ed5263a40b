import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toCsvLine } from '../../../server/kernel/http/csv-line.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'
import { everything, makeEveryProduct } from './every-product.ts'

/** An import touches what its file has columns of, and nothing else. */

let world: World
let csv: Csv
let store: Awaited<ReturnType<typeof makeEveryProduct>>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  csv = csvOf(world)
  store = await makeEveryProduct(world)
})
afterAll(() => world.close())

test('an export of products of every type, with every relationship, changes nothing when it is imported', async () => {
  const before = await everything(world)
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['products', 'product_files', 'product_templates', 'associated_products']),
  )
  const [link = ''] = await csv.exportAtOnce()
  const file = await (await fetch(link)).text()
  const [header = [], ...rows] = parse(file) as string[][]
  expect([header.includes('main_image_id'), rows.length]).toEqual([true, 5])
  expect(await csv.importAtOnce(file)).toEqual([])
  expect(await everything(world)).toEqual(before)
})

const text = fc.constantFrom('', 'a', 'b c', '"', '1,5')
const columns: Readonly<Record<string, fc.Arbitrary<string>>> = {
  description: text,
  status: fc.constantFrom('draft', 'live'),
  mpn: text,
  upc_ean: text,
  tags: fc.constantFrom('', 'x', 'x,y'),
  main_image_id: fc.constantFrom('none', 'first', 'second'),
  'admin_attributes.bin': fc.oneof(text, fc.constant('__REMOVE_ATTRIBUTE__')),
  'shopper_attributes.hue': text,
  'products(book):isbn': text,
  'products(book):pages': fc.constantFrom('', '7'),
  _created_at: fc.constant('2001-01-01'),
}
const names = Object.keys(columns)
const someColumns = fc.subarray(names)
const cells = fc.array(fc.record(columns), { minLength: 6, maxLength: 6 })

type Row = Readonly<Record<string, unknown>>
const without = (of: unknown, ...members: readonly string[]): Row =>
  Object.fromEntries(Object.entries((of ?? {}) as Row).filter(([name]) => !members.includes(name)))

/** What a file of these columns does not speak of. */
function rest(all: Awaited<ReturnType<typeof everything>>, touched: readonly string[]) {
  const products = all.products?.map(({ id, doc, hidden }) => {
    const { attributes } = doc as { attributes: Row }
    const { relationships, ...others } = hidden as Row
    return {
      id,
      attributes: {
        ...without(
          attributes,
          ...touched,
          'name',
          'commodity_type',
          'admin_attributes',
          'shopper_attributes',
        ),
        admin: without(attributes.admin_attributes, ...(touched.includes(keyColumn) ? ['bin'] : [])),
        shopper: without(attributes.shopper_attributes, ...(touched.includes(hueColumn) ? ['hue'] : [])),
      },
      // A child that is changed by itself says so.
      hidden: without(others, 'edited'),
      relationships: without(relationships, ...(touched.includes('main_image_id') ? ['main_image'] : [])),
    }
  })
  const fields = touched.map((name) => name.replace('products(book):', ''))
  const entries = all.flow_entries?.map(({ id, doc }) => ({ id, doc: without(doc, ...fields) }))
  // The values of attributes, a second time; and rows that are another version with a product.
  const derived = ['products', 'flow_entries', 'product_values']
  const others = Object.entries(all).filter(([table]) => !derived.includes(table))
  const byId = (rows: readonly { id: unknown }[] = []) =>
    rows.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1))
  return { products: byId(products), entries: byId(entries), others: Object.fromEntries(others) }
}
const [keyColumn, hueColumn] = ['admin_attributes.bin', 'shopper_attributes.hue']

test('a file of any columns touches nothing else of products of any type', async () => {
  await fc.assert(
    fc.asyncProperty(someColumns, cells, async (touched, values) => {
      const before = await everything(world)
      const skus = new Map(
        before.products?.map(({ id, doc }) => [id, (doc as { attributes: { sku: string } }).attributes.sku]),
      )
      const images: Record<string, string | undefined> = { first: store.files[0], second: store.files[1] }
      const cellOf = (row: Readonly<Record<string, string>> | undefined, name: string) =>
        name === 'main_image_id' ? (images[row?.[name] ?? ''] ?? '') : (row?.[name] ?? '')
      const lines = store.ids.map((id, i) => [
        ...[id, `Name ${i}`, skus.get(id) ?? '', i % 2 ? 'digital' : 'physical'],
        ...touched.map((name) => cellOf(values[i], name)),
      ])
      const header = ['id', 'name', 'sku', 'commodity_type', ...touched]
      expect(await csv.importAtOnce([header, ...lines].map(toCsvLine).join(''))).toEqual([])
      const after = await everything(world)
      expect(rest(after, touched)).toEqual(rest(before, touched))
      const shown = after.products?.map(({ id, main_image_id }) => [id, main_image_id ?? ''])
      if (!touched.includes('main_image_id')) return
      const at = header.indexOf('main_image_id')
      expect(new Map(shown as [string, string][])).toEqual(new Map(lines.map((line) => [line[0], line[at]])))
    }),
    { numRuns: tries(8, 25) },
  )
})
