import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let csv: Csv
beforeAll(async () => {
  world = await openWorld({ alone: true })
  csv = csvOf(world)
  const types = { text: 'string', count: 'integer', mass: 'float', bound: 'boolean', day: 'date' }
  const fields = Object.fromEntries(Object.entries(types).map(([name, field_type]) => [name, { field_type }]))
  await makeFlow(world.admin, 'products(book)', fields)
  await makeFlow(world.admin, 'products(shoe)', { size: { field_type: 'integer', required: true } })
})
afterAll(() => world.close())

const odd = fc.constantFrom(
  '',
  ' ',
  ' a ',
  ',',
  '"',
  '""',
  '\r',
  '\n',
  '\r\n',
  '=1+1',
  '\ufeff',
  'null',
  '__proto__',
)
const text = fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 8 })).filter(isStorable)
// A header is trimmed, as spreadsheets pad it.
const key = text.filter((one) => one !== '' && one.trim() === one && !one.startsWith('\ufeff'))
const perhaps = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const keys = perhaps(fc.dictionary(key, text, { maxKeys: 3 }))

function isStorable(one: string): boolean {
  return !one.includes('\0') && one.isWellFormed()
}

const aProduct = fc.record(
  {
    description: fc.option(text),
    mpn: fc.option(text),
    external_ref: fc.option(text),
    status: fc.constantFrom('draft', 'live'),
    tags: fc.array(fc.constantFrom('a', 'b', '"'), { maxLength: 2 }),
    admin_attributes: keys,
    shopper_attributes: keys,
  },
  { requiredKeys: [] },
)
const book = fc.record(
  {
    text: fc.option(text),
    count: fc.option(fc.maxSafeInteger()),
    mass: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    bound: fc.option(fc.boolean()),
    day: fc.option(fc.constantFrom('2026-02-28', '2026-01-31 09:30:00', '2026-01-31T09:30:00+02:00')),
  },
  { requiredKeys: [] },
)
const shoe = fc.record({ size: fc.integer() })
const everything = fc.array(fc.tuple(aProduct, fc.option(book), fc.option(shoe)), {
  minLength: 1,
  maxLength: 4,
})

async function make(
  [attributes, ofBook, ofShoe]: readonly [object, object | null, object | null],
  i: number,
) {
  const all = { name: `P${i}`, commodity_type: 'physical', ...attributes }
  const { status, body } = await world.admin.post('/pcm/products', {
    data: { type: 'product', attributes: all },
  })
  expect(status, JSON.stringify(body.errors)).toBe(201)
  const { id } = body.data
  for (const [slug, values] of [
    ['book', ofBook],
    ['shoe', ofShoe],
  ] as const) {
    if (!values) continue
    const reply = await world.admin.post(`/v2/flows/products(${slug})/entries`, {
      data: { type: 'entry', id, ...values },
    })
    expect(reply.status, JSON.stringify(reply.body.errors)).toBe(201)
  }
}

const all = async () =>
  (
    await world.sql(`SELECT id, version, doc::text, hidden::text FROM products
      UNION ALL SELECT id, version, doc::text, flow_id::text FROM flow_entries
      UNION ALL SELECT product_id, 0, '', id::text FROM product_templates ORDER BY 1, 3, 4`)
  ).rows

test('importing an export changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(everything, async (some) => {
      await world.sql('DELETE FROM products')
      for (const [i, one] of some.entries()) await make(one, i)
      const before = await all()
      const [link = ''] = await csv.exportAtOnce()
      expect(await csv.importAtOnce(await (await fetch(link)).text())).toEqual([])
      expect(await all()).toEqual(before)
    }),
    { numRuns: tries(5, 15) },
  )
})
