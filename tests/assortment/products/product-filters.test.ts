import { afterAll, beforeAll, expect, test } from 'vitest'
import { products } from '../../../server/assortment/index.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import { plan } from '../../../server/kernel/query/plan.ts'
import { pageSql } from '../../../server/kernel/query/sql.ts'
import { namesIn, newProduct, refusal } from '../../builders/assortment/products.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
const long = 'l'.repeat(200)

beforeAll(async () => {
  world = await openWorld()
  const all: object[] = [
    {
      name: 'Rye',
      sku: 'RYE-1',
      slug: 'rye',
      upc_ean: '400',
      mpn: 'M-1',
      tags: ['bread', 'rye'],
      status: 'live',
    },
    {
      name: 'Oat',
      sku: 'oat-1',
      slug: 'oat',
      upc_ean: '401',
      mpn: 'M-2',
      tags: ['bread'],
      external_ref: `${long}1`,
    },
    {
      name: 'Song',
      commodity_type: 'digital',
      tags: ['breadless', `${long.slice(0, 199)}x`],
      external_ref: `${long}2`,
    },
    {
      name: 'Note',
      shopper_attributes: { colour: 'red', 'a.b': 'x' },
      admin_attributes: { bin: '4', colour: 'blue' },
    },
    {
      name: 'Pad',
      shopper_attributes: { colour: `${long}!` },
      description: `${long} pad`,
      admin_attributes: { bin: '' },
    },
  ]
  const created: { id: string }[] = []
  for (const attributes of all) created.push(await newProduct(world.admin, attributes))
  const option = { id: created[0]?.id, type: 'product', quantity: 2 }
  await newProduct(world.admin, { name: 'Kit', components: { it: { name: 'It', options: [option] } } })
})
afterAll(() => world.close())

test.for<[filter: string, names: string]>([
  ['eq(name,Rye)', 'Rye'],
  ['in(name,Rye,Oat,Nope)', 'Oat Rye'],
  ['like(name,*o*)', 'Note Song'],
  ['ilike(name,*O*)', 'Note Oat Song'],
  ['ilike(name,rYE)', 'Rye'],
  ['ilike(sku,RYE*)', 'Rye'],
  ['ilike(slug,R*)', 'Rye'],
  ['ilike(mpn,m-*)', 'Oat Rye'],
  ['ilike(manufacturer_part_num,m-*)', 'Oat Rye'],
  ['ilike(description,*PAD)', 'Pad'],
  ['ilike(tags,BREAD*)', 'Oat Rye Song'],
  ['eq(sku,rye-1)', ''],
  ['like(sku,rye*)', 'Rye'],
  ['like(sku,*AT-1)', 'Oat'],
  ['in(sku,RYE-1,OAT-1)', 'Rye'],
  ['like(slug,R*)', ''],
  ['eq(slug,oat)', 'Oat'],
  ['in(upc_ean,400,401)', 'Oat Rye'],
  ['eq(manufacturer_part_num,M-1)', 'Rye'],
  ['like(mpn,M-*)', 'Oat Rye'],
  [`eq(external_ref,${long}1)`, 'Oat'],
  [`in(external_ref,${long}1,${long}2)`, 'Oat Song'],
  [`gt(external_ref,${long}1)`, 'Song'],
  [`le(external_ref,${long}1)`, 'Oat'],
  [`eq(description,${long} pad)`, 'Pad'],
  ['like(description,*pad)', 'Pad'],
  ['eq(status,live)', 'Rye'],
  ['eq(commodity_type,digital)', 'Song'],
  ['eq(product_types,bundle)', 'Kit'],
  ['in(product_types,bundle,parent)', 'Kit'],
  ['eq(owner,store)', 'Kit Note Oat Pad Rye Song'],
  ['eq(owner,organization)', ''],
  ['eq(tags,BREAD)', 'Oat Rye'],
  ['in(tags,rye,breadless)', 'Rye Song'],
  ['like(tags,bread*)', 'Oat Rye Song'],
  ['like(tags,*e)', 'Rye'],
  [`eq(tags,${long.slice(0, 199)}x)`, 'Song'],
  [`eq(tags,${long.slice(0, 199)})`, ''],
  ['eq(shopper_attributes.colour,red)', 'Note'],
  ['eq(shopper_attributes.a.b,x)', 'Note'],
  [`eq(shopper_attributes.colour,${long}!)`, 'Pad'],
  [`eq(shopper_attributes.colour,${long})`, ''],
  ['in(shopper_attributes.colour,red,blue)', 'Note'],
  ['eq(admin_attributes.colour,blue)', 'Note'],
  ['eq(admin_attributes.bin,4)', 'Note'],
  ['eq(tags,bread):like(sku,rye*)', 'Rye'],
  ['(eq(tags,rye)|eq(admin_attributes.bin,4))', 'Note Rye'],
])('%s', async ([filter, names]) => {
  expect(await namesIn(world.admin, `/pcm/products?filter=${encodeURIComponent(filter)}`)).toEqual(
    names.split(' ').filter(Boolean),
  )
})

// The planner knows little of one store's values: it would join most of the products one by one, or compare each with
// all.
test.each([
  ['like(tags,bread*)', true],
  ['eq(shopper_attributes.colour,red)', true],
  ['eq(extensions.book.isbn,1)', true],
  ['in(templates,00000000-0000-0000-0000-000000000000)', true],
  ['eq(has_nodes,true)', true],
  ['eq(tags,bread):like(sku,rye*)', false],
  ['(eq(tags,rye)|eq(admin_attributes.bin,4))', false],
])('a filter whose ids come from other rows alone uses the primary key: %s', (filter, alone) => {
  const planned = plan(parse(`filter=${encodeURIComponent(filter)}`), products).filter
  const window = { limit: 25, offset: 0, column: 'created_at', descending: true }
  const { text } = pageSql({ resource: products, scope: [] }, planned, window, world.storeId)
  expect(text.includes('products.id = ANY(ARRAY(')).toBe(alone)
  expect(text.includes('products.id IN (')).toBe(!alone)
})

test('an unknown filter is refused, with the list of filters', async () => {
  const reply = await world.admin.get('/pcm/products?filter=eq(weight,1)')
  expect(refusal(reply)).toEqual([400, 'filter', expect.stringContaining('manufacturer_part_num')])
})
