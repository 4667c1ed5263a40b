import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf, usd } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>
let hierarchy: string
let hats: string
let catalog: string
const ids: Record<string, string> = {}
let pictures: string[]

const image = async (): Promise<string> => {
  const form = new FormData()
  form.append('file_location', 'https://pictures.example/hat.png')
  const { status, body } = await world.admin.send('POST', '/v2/files', { body: form })
  expect(status).toBe(201)
  return body.data.id
}

beforeAll(async () => {
  world = await openWorld()
  shop = merchantOf(world)
  await makeFlow(world.admin, 'products(size)', { width: { field_type: 'integer' } })
  hierarchy = await shop.hierarchy({ name: 'Clothing', slug: 'clothing' })
  const shirts = await shop.node(hierarchy, hierarchy, { name: 'Shirts', slug: 'shirts' })
  hats = await shop.node(hierarchy, hierarchy, { name: 'Hats', slug: 'hats' })
  const summer = await shop.node(hierarchy, hats, { name: 'Summer', slug: 'summer' })
  const book = await shop.pricebook()
  const make = async (node: string, name: string, sku: string, cents: number | null, more: object = {}) => {
    ids[name] = await shop.product({ name, sku, ...more })
    await shop.put(hierarchy, node, ids[name])
    if (cents !== null) await shop.price(book, sku, usd(cents))
  }
  await make(shirts, 'Blue Shirt', 'S-2', 2500, { tags: ['winter', 'ärmel'] })
  await make(shirts, 'red Shirt', 'S-1', 1000, { tags: ['summer', 'winter'] })
  await make(hats, 'Straw Hat', 'H-1', 5000, { tags: ['summer'] })
  await make(summer, 'Cap', 'H-2', null)
  pictures = [await image(), await image()]
  const to = (name: string) => `/pcm/products/${ids[name]}/relationships`
  const [main, other] = pictures.map((id) => ({ type: 'file', id }))
  expect((await world.admin.post(`${to('Straw Hat')}/main_image`, { data: main })).status).toBeLessThan(300)
  expect((await world.admin.post(`${to('Cap')}/files`, { data: [other] })).status).toBeLessThan(300)
  catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
})
afterAll(() => world.close())

test('the images of hits can be included, and are in their documents', async () => {
  const search = { searches: [{ q: 'hat' }, { q: 'cap' }, { type: 'autocomplete', q: 'h' }] }
  const { body } = await world.shopper.post('/catalog/multi-search?include=main_image&include=files', search)
  const located = ({ id, link, type }: Any) => [id, type, link.href]
  const href = 'https://pictures.example/hat.png'
  expect(body.included.main_images.map(located)).toEqual([[pictures[0], 'file', href]])
  expect(body.included.files.map(located)).toEqual([[pictures[1], 'file', href]])
  expect(located(body.results[0].hits[0].document.main_image)).toEqual([pictures[0], 'file', href])
  const none = await world.shopper.post('/catalog/multi-search?include=main_image', {
    searches: [{ q: 'shirt' }],
  })
  expect(none.body.included).toEqual({ main_images: [] })
  const plain = await world.shopper.post('/catalog/multi-search', search)
  expect([plain.body.included, plain.body.results[0].hits[0].document.main_image]).toEqual([
    undefined,
    undefined,
  ])
})

test.each<[string, string[]]>([
  ['price.USD.float_price:asc', ['red Shirt', 'Blue Shirt', 'Straw Hat', 'Cap']],
  ['price.USD.float_price:desc', ['Straw Hat', 'Blue Shirt', 'red Shirt', 'Cap']],
  ['name:asc', ['Blue Shirt', 'Cap', 'red Shirt', 'Straw Hat']],
  ['attributes.sku:desc', ['Blue Shirt', 'red Shirt', 'Cap', 'Straw Hat']],
  ['created_at:asc', ['Blue Shirt', 'red Shirt', 'Straw Hat', 'Cap']],
  ['categories.lvl1:desc,name:asc', ['Blue Shirt', 'red Shirt', 'Cap', 'Straw Hat']],
  ['price.float_price:asc', ['red Shirt', 'Blue Shirt', 'Straw Hat', 'Cap']],
  ['price.amount:desc', ['Straw Hat', 'Blue Shirt', 'red Shirt', 'Cap']],
  // No product has a value of these.
  ['extensions.products(size).width:asc, name:desc', ['Straw Hat', 'red Shirt', 'Cap', 'Blue Shirt']],
  ['attributes.extensions.products(size).width,name', ['Blue Shirt', 'Cap', 'red Shirt', 'Straw Hat']],
  ['shopper_attributes.season,name', ['Blue Shirt', 'Cap', 'red Shirt', 'Straw Hat']],
  ['external_ref,categories.lvl9,name', ['Blue Shirt', 'Cap', 'red Shirt', 'Straw Hat']],
  ['_eval(a:1):desc,_text_match:desc,name', ['Blue Shirt', 'Cap', 'red Shirt', 'Straw Hat']],
])('results are sorted by %s, those without a value last', async (sort_by, names) => {
  expect(await shop.names({ q: '*', sort_by })).toEqual(names)
  expect(await shop.names({ q: '*', sort_by, per_page: 2, page: 2 })).toEqual(names.slice(2))
  expect(await shop.names({ q: '*', sort_by, filter_by: 'status:!=`draft`' })).toEqual(names)
})

test.each([
  'no.such_field:asc',
  'name:asc,prise:desc',
  'price:asc',
  'description',
  'price.USD',
  'extensions.products(size).height',
  'extensions.products(size)',
  'extensions.products(sizes).width',
  'products(size).width',
  'shopper_attributes.',
  'categories',
])('a search that is to be sorted by %s is refused', async (sort_by) => {
  const { status, body } = await world.shopper.post('/catalog/multi-search', {
    searches: [{}, { sort_by }],
  })
  const [{ title, source, detail }] = body.errors
  expect([status, title, source]).toEqual([400, 'Invalid Sort', 'searches[1].sort_by'])
  expect(detail).toContain('price.float_price')
})

test('a search by words can be sorted', async () => {
  expect(await shop.names({ q: 'shirt', sort_by: 'price.USD.amount:desc' })).toEqual([
    'Blue Shirt',
    'red Shirt',
  ])
  expect(await shop.names({ q: 'shirt', sort_by: 'price.USD.amount:asc' })).toEqual([
    'red Shirt',
    'Blue Shirt',
  ])
})

test('facet_query finds values of a facet while they are typed', async () => {
  const search = { q: '*', per_page: 0, facet_by: 'tags,categories.lvl1' }
  const facets = async (facet_query: string) => {
    const [{ facet_counts }] = (await shop.search({ ...search, facet_query })) as [Any]
    return Object.fromEntries(
      facet_counts.map(({ field_name, counts }: Any) => [
        field_name,
        counts.map(({ value, count, highlighted }: Any) => [value, count, highlighted]),
      ]),
    )
  }
  const both = await facets('tags:wi')
  expect(both.tags).toEqual([['winter', 2, '<mark>winter</mark>']])
  expect(both['categories.lvl1']).toHaveLength(2)
  expect((await facets('tags:armel')).tags).toEqual([['ärmel', 1, '<mark>ärmel</mark>']])
  expect((await facets('categories.lvl1: sh'))['categories.lvl1']).toEqual([
    ['Clothing > Shirts', 2, 'Clothing > <mark>Shirts</mark>'],
  ])
  expect((await facets('tags:!')).tags).toEqual([])
  expect((await facets('tags:')).tags).toHaveLength(3)
  expect((await facets('price.USD.float_price:2'))['price.USD.float_price']).toEqual([
    ['25', 1, '<mark>25</mark>'],
  ])
  expect((await facets('name:st')).name).toEqual([['Straw Hat', 1, '<mark>Straw</mark> Hat']])
})

test('products are found by the slugs of all nodes above them', async () => {
  const find = async (...slugs: string[]) => {
    const filter_by = slugs.map((slug) => `meta.search.nodes.slug:=[\`${slug}\`]`).join(' && ')
    return (await shop.names({ q: '*', filter_by })).sort()
  }
  expect(await find('clothing')).toHaveLength(4)
  expect(await find('clothing', 'hats')).toEqual(['Cap', 'Straw Hat'])
  expect(await find('hats', 'summer')).toEqual(['Cap'])
  const attributes = { slug: 'headgear' }
  await shop.send(
    'PUT',
    `/pcm/hierarchies/${hierarchy}/nodes/${hats}`,
    { type: 'node', id: hats, attributes },
    200,
  )
  await shop.publish(catalog)
  expect([await find('hats'), await find('headgear')]).toEqual([[], ['Cap', 'Straw Hat']])
})
