import { afterAll, beforeAll, expect, test } from 'vitest'
import { located, makeLocation } from '../../builders/assortment/stock.ts'
import { deltaOf } from '../../builders/shop/deltas.ts'
import { namesIn, shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import { png, uploaded } from '../../builders/store/uploads.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { after, friday, inDollars, net } from './days-and-prices.ts'

/** A merchant opens a shop, by HTTP alone, from an empty store to what shoppers see. Each test is a step. */

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

const ids: Record<string, string> = {}
const idOf = (name: string): string => {
  const id = ids[name]
  if (id === undefined) throw new Error(`an earlier step should have made ${name}`)
  return id
}
/** Creates an object and stores it under a name. */
async function make(name: string, path: string, type: string, attributes: object): Promise<void> {
  ids[name] = (await shop.send('POST', path, { type, attributes }, 201)).id
}
const links = (type: string, ...names: string[]) => names.map((name) => ({ type, id: idOf(name) }))
async function link(path: string, type: string, ...names: string[]) {
  expect((await world.admin.post(path, { data: links(type, ...names) })).status).toBeLessThan(300)
}

/** The response for a shopper with an implicit token only. */
async function getAsShopper(path: string, headers: Record<string, string> = {}): Promise<Any> {
  const { status, body } = await world.shopper.get(`/catalog${path}`, headers)
  expect([path, status, body?.errors]).toEqual([path, 200, undefined])
  return body
}
const page = async (name: string, headers = {}) =>
  (await getAsShopper(`/products/${idOf(name)}`, headers)).data

test('the store sells in dollars, pounds and yen', async () => {
  await store.currency('GBP', '£{price}')
  await store.currency('JPY', '¥{price}', 0)
  const { body } = await world.shopper.get('/v2/currencies')
  expect(body.data.map(({ code }: Any) => code)).toEqual(['USD', 'GBP', 'JPY'])
})

test('two price books have prices, with a sale, a tier and a modifier', async () => {
  await make('retail', '/pcm/pricebooks', 'pricebook', { name: 'Retail' })
  await make('vip', '/pcm/pricebooks', 'pricebook', { name: 'VIP', external_ref: 'vip-2' })
  const tiers = { ten: { minimum_quantity: 10, amount: 1800 } }
  const Summer = {
    schedule: { valid_from: '2020-06-01T00:00:00Z', valid_to: after(30) },
    currencies: { USD: net(1500) },
  }
  const shirt = { currencies: { USD: { ...net(2000), tiers }, GBP: net(1700) }, sales: { Summer } }
  const price = await store.price(idOf('retail'), 'SHIRT', shirt)
  const read = (await shop.get(`/pcm/pricebooks/${idOf('retail')}/prices/${price.id}`)).data.attributes
  expect(read, 'as it was written').toMatchObject({ sku: 'SHIRT', ...shirt })
  const raised = { currencies: { USD: { amount: 300 } } }
  await store.modifier(idOf('retail'), { name: 'PriceL', modifier_type: 'price_increment', ...raised })

  const BlackFriday = { schedule: { valid_from: friday.toISOString() }, currencies: { USD: net(900) } }
  await store.price(idOf('retail'), 'CAP', { currencies: { USD: net(1200) }, sales: { BlackFriday } })
  await store.dollars(idOf('retail'), 'MUG', 1000)
  await store.dollars(idOf('vip'), 'MUG', 800)
})

test('the merchant describes a shirt in two sizes, a mug, a cap and a poster, with pictures', async () => {
  for (const [name, more] of Object.entries({
    shirt: { tags: ['wear'], description: 'Soft cotton.', locales: { fr: { name: 'Chemise' } } },
    mug: { tags: ['kitchen'], mpn: 'M-1' },
    cap: { tags: ['wear', 'new'] },
    poster: { admin_attributes: { supplier: 'us' }, shopper_attributes: { paper: 'matt' } },
    scarf: { status: 'draft' },
  })) {
    const shown = { name: name[0]?.toUpperCase() + name.slice(1), sku: name.toUpperCase(), slug: name }
    ids[name] = await shop.product({ ...shown, ...more })
  }
  const content = png(40, 30)
  ids.picture = (await uploaded(world, { name: 'shirt.png', content, type: 'image/png' })).id
  const image = `/pcm/products/${idOf('shirt')}/relationships/main_image`
  await shop.send('POST', image, { type: 'file', id: idOf('picture') }, 204)

  await make('size', '/pcm/variations', 'product-variation', { name: 'Size' })
  for (const size of ['M', 'L']) {
    const options = `/pcm/variations/${idOf('size')}/options`
    await make(size, options, 'product-variation-option', { name: size, description: `Size ${size}` })
    const modifiers = `${options}/${idOf(size)}/modifiers`
    await make(`SKU of ${size}`, modifiers, 'product-variation-modifier', {
      type: 'sku_append',
      value: `-${size}`,
    })
  }
  const modifiers = `/pcm/variations/${idOf('size')}/options/${idOf('L')}/modifiers`
  await make('price of L', modifiers, 'product-variation-modifier', {
    type: 'price',
    reference_name: 'PriceL',
  })
  await link(`/pcm/products/${idOf('shirt')}/relationships/variations`, 'product-variation', 'size')
  const job = await shop.send('POST', `/pcm/products/${idOf('shirt')}/build`, undefined, 201)
  const status = async () => (await shop.get(`/pcm/jobs/${job.id}`)).data.attributes.status
  await expect.poll(status, { timeout: 20_000, interval: 30 }).toBe('success')
  const { data } = await shop.get(`/pcm/products/${idOf('shirt')}/children`)
  for (const { id, attributes } of data) ids[attributes.sku] = id
  expect(idOf('SHIRT-L')).not.toBe(idOf('SHIRT-M'))
})

test('a set has a choice of shirts and two mugs, and caps are associated with shirts', async () => {
  const option = (name: string, more = {}) => ({ id: idOf(name), type: 'product', quantity: 1, ...more })
  ids.set = await shop.product({
    name: 'Gift set',
    sku: 'SET',
    slug: 'set',
    components: {
      shirt: {
        name: 'Shirt',
        min: 1,
        max: 1,
        options: [option('SHIRT-M', { default: true }), option('SHIRT-L')],
      },
      mugs: {
        name: 'Mugs',
        min: 0,
        options: [option('mug', { quantity: 2, default: true, min: 1, max: 4 })],
      },
    },
  })
  const attributes = { name: 'Goes with', slug: 'CRP_goes_with', bi_directional: true }
  await make('goes with', '/pcm/custom-relationships', 'custom-relationship', attributes)
  const at = `/pcm/products/${idOf('shirt')}/custom-relationships`
  await shop.send('POST', at, [{ type: 'custom-relationship', slug: 'CRP_goes_with' }], 201)
  await link(`${at}/CRP_goes_with`, 'product', 'cap')
})

test('mugs are in stock in two locations', async () => {
  for (const slug of ['north', 'south']) await makeLocation(world.admin, slug)
  const locations = { north: { available: 5 }, south: { available: 3 } }
  const data = { type: 'stock', id: idOf('mug'), attributes: { locations } }
  const stock = await world.admin.post('/v2/inventories', { data }, located)
  expect([stock.status, stock.body.data.attributes.available]).toEqual([201, 8])
})

test('shoppers see the products of the tree after it is published, and nothing before', async () => {
  ids.Shop = await shop.hierarchy({ name: 'Shop', slug: 'shop' })
  ids.Clothes = await shop.node(idOf('Shop'), idOf('Shop'), { name: 'Clothes', slug: 'clothes' })
  ids.Shirts = await shop.node(idOf('Shop'), idOf('Clothes'), { name: 'Shirts', slug: 'shirts' })
  ids.Home = await shop.node(idOf('Shop'), idOf('Shop'), { name: 'Home', slug: 'home' })
  await shop.put(idOf('Shop'), idOf('Shirts'), idOf('shirt'))
  await shop.put(idOf('Shop'), idOf('Clothes'), idOf('cap'), idOf('scarf'))
  await shop.put(idOf('Shop'), idOf('Home'), idOf('mug'), idOf('set'), idOf('poster'))

  // The VIP book is the stronger, and has a price of mugs only.
  const pricebook_ids = [
    { id: idOf('retail'), priority: 1 },
    { id: idOf('vip'), priority: 9 },
  ]
  ids.catalog = await shop.catalog([idOf('Shop')], { name: 'Everyone', pricebook_ids })
  expect((await world.shopper.get('/catalog/products')).status).toBe(404)
  const release = await shop.publish(idOf('catalog'))
  ids.first = release.id
  expect(release.meta).toMatchObject({
    is_full_publish: true,
    is_full_delta: true,
    percent_completed: 100,
    total_products: 7,
    total_nodes: 3,
  })
  const { data } = await getAsShopper('')
  expect(data).toMatchObject({
    id: release.id,
    attributes: { name: 'Everyone', catalog_id: idOf('catalog') },
  })
  expect(data.attributes.hierarchies).toMatchObject([{ id: idOf('Shop') }])
})

test('a shopper walks down the tree and finds a shirt, with its picture and associated products', async () => {
  const [hierarchy] = (await getAsShopper('/hierarchies')).data
  expect(hierarchy.attributes.name).toBe('Shop')
  expect(namesIn(await getAsShopper(`/hierarchies/${hierarchy.id}/children`)).sort()).toEqual([
    'Clothes',
    'Home',
  ])
  const [shirts] = (await getAsShopper(`/nodes/${idOf('Clothes')}/relationships/children`)).data
  expect(shirts.meta.breadcrumbs.map(({ name }: Any) => name)).toEqual(['Shop', 'Clothes', 'Shirts'])

  const listed = await getAsShopper(`/nodes/${shirts.id}/relationships/products?include=main_image`)
  const shirt = listed.data.find(({ attributes }: Any) => attributes.base_product)
  expect([shirt.id, shirt.relationships.main_image.data]).toEqual([
    idOf('shirt'),
    { type: 'main_image', id: idOf('picture') },
  ])
  const [picture] = listed.included.main_images
  const shown = await fetch(picture.link.href)
  expect([picture.id, shown.status, shown.headers.get('content-type')]).toEqual([
    idOf('picture'),
    200,
    'image/png',
  ])

  const { attributes, meta, relationships } = await page('shirt')
  expect(meta.bread_crumbs).toEqual({ [idOf('Shirts')]: [idOf('Shop'), idOf('Clothes')] })
  expect(meta.variation_matrix).toEqual({ [idOf('M')]: idOf('SHIRT-M'), [idOf('L')]: idOf('SHIRT-L') })
  expect(meta.variations[0].options.map(({ name }: Any) => name).sort()).toEqual(['L', 'M'])
  expect([attributes.description, attributes.tags]).toEqual(['Soft cotton.', ['wear']])
  const children = await world.shopper.get(relationships.children.links.self)
  expect(children.body.meta.results.total).toBe(2)
  const others = await world.shopper.get(relationships.custom_relationships.links.CRP_goes_with)
  expect(namesIn(others.body)).toEqual(['Cap'])
  expect((await page('shirt', { 'accept-language': 'fr-CA, en;q=0.5' })).attributes.name).toBe('Chemise')
})

test('shoppers list and filter the published products, without drafts and admin attributes', async () => {
  const listed = await getAsShopper('/products?page[limit]=100')
  expect([namesIn(listed).length, listed.meta.results.total]).toEqual([7, 7])
  expect(JSON.stringify(listed)).not.toContain('supplier')
  const findSkus = async (filter: string) =>
    namesIn(await getAsShopper(`/products?filter=${encodeURIComponent(filter)}`))
  expect(await findSkus('eq(slug,poster)')).toEqual(['Poster'])
  expect(await findSkus('in(sku,MUG,SET),eq(manufacturer_part_num,M-1)')).toEqual(['Mug'])
  expect((await findSkus('eq(product_types,child):eq(tags,wear)')).length).toBe(2)
  expect(await findSkus('eq(name,Scarf)')).toEqual([])
  expect((await world.shopper.get(`/catalog/products/${idOf('scarf')}`)).status).toBe(404)
  const poster = await page('poster')
  expect(poster.attributes.shopper_attributes).toEqual({ paper: 'matt' })
  expect({ ...poster.attributes, ...poster.meta }).not.toHaveProperty('price')
  expect(poster.meta, 'without a price').not.toHaveProperty('display_price')
})

test('a large shirt has the price of the worked example in each currency', async () => {
  const { attributes, meta } = await page('SHIRT-L')
  expect(attributes.price).toEqual({ USD: net(1800), GBP: net(1700) })
  expect(attributes.price_modifiers).toEqual(['PriceL'])
  expect(meta.original_price.USD).toEqual(net(2300))
  expect(meta).toMatchObject({
    pricebook_id: idOf('retail'),
    sale_id: 'Summer',
    display_price: inDollars(1800),
    original_display_price: inDollars(2300),
  })
  const inPounds = (await page('SHIRT-L', { 'X-Moltin-Currency': 'GBP' })).meta
  expect(inPounds.display_price.without_tax.formatted).toBe('£17.00')
  expect(inPounds).not.toHaveProperty('original_display_price')
  expect((await page('SHIRT-L', { 'X-Moltin-Currency': 'JPY' })).meta).not.toHaveProperty('display_price')
  // Twelve shirts during the sale have its price, without the tier.
  const shirt = (await page('shirt')).attributes
  expect([12 * shirt.price.USD.amount, shirt.tiers]).toEqual([18_000, undefined])
  const { body } = await world.admin.get(`/catalog/products/${idOf('shirt')}`, { 'sutler-at': after(40) })
  const { ten } = body.data.attributes.tiers
  expect([ten.minimum_quantity, 12 * ten.price.USD.amount]).toEqual([10, 21_600])
  expect((await page('mug')).meta).toMatchObject({ pricebook_id: idOf('vip'), display_price: inDollars(800) })
})

test('a configured set costs the sum of its options', async () => {
  const set = await page('set')
  expect(set.meta.bundle_configuration.selected_options).toEqual({
    shirt: { [idOf('SHIRT-M')]: 1 },
    mugs: { [idOf('mug')]: 2 },
  })
  expect([set.attributes.price.USD.amount, set.meta.original_price.USD.amount]).toEqual([3100, 3600])
  const configure = (selected_options: object) =>
    world.shopper.post(`/catalog/products/${idOf('set')}/configure`, { data: { selected_options } })
  const { status, body } = await configure({ shirt: { [idOf('SHIRT-L')]: 1 }, mugs: { [idOf('mug')]: 3 } })
  expect([status, body.data.meta.display_price]).toEqual([200, inDollars(1800 + 3 * 800)])
  expect((await configure({ mugs: { [idOf('mug')]: 3 } })).status, 'without a shirt').toBe(422)
})

test('shoppers can read the stock of its parts', async () => {
  const { body } = await world.shopper.get(`/v2/inventories/${idOf('mug')}`, located)
  const { available, locations } = body.data.attributes
  expect([available, locations.north.available, locations.south.available]).toEqual([8, 5, 3])
  const data = [...links('stock', 'mug', 'poster')]
  const some = await world.shopper.post('/v2/inventories/multiple', { data }, located)
  expect(
    some.body.data.map(({ id }: Any) => id),
    'posters have no stock record',
  ).toEqual([idOf('mug')])
})

test('one search returns hits and facets, at current prices', async () => {
  const search = async (...searches: object[]): Promise<Any[]> => {
    const { status, body } = await world.shopper.post('/catalog/multi-search', { searches })
    expect([status, body?.errors]).toEqual([200, undefined])
    return body.results
  }
  const facet_by = 'meta.search.categories.lvl1,price.USD.float_price,tags'
  const narrow = 'meta.search.categories.lvl1:=[`Shop > Clothes`] && price.USD.float_price:[10..16]'
  const [all, some, spoken] = await search(
    { type: 'search', q: '*', facet_by, per_page: 0 },
    { type: 'search', q: '*', filter_by: narrow, sort_by: 'price.float_price:asc' },
    { type: 'autocomplete', q: 'shi' },
  )
  const [categories, prices] = all.facet_counts
  expect([all.found, all.hits]).toEqual([7, []])
  const counted = categories.counts.map(({ value, count }: Any) => `${value}: ${count}`)
  expect(counted).toEqual(['Shop > Clothes: 4', 'Shop > Home: 3'])
  // A bundle costs the sum of its selected options.
  expect(prices.stats).toMatchObject({ min: 8, max: 35 })
  expect(some.hits.map(({ document }: Any) => document.attributes.sku).sort()).toEqual([
    'CAP',
    'SHIRT',
    'SHIRT-M',
  ])
  const hit = some.hits.find(({ document }: Any) => document.id === idOf('cap'))
  expect(hit.document, 'as its page shows it').toEqual(await page('cap'))
  expect(spoken.hits[0].document.q).toBe('Shirt')
})

test('shoppers of another channel see another catalog', async () => {
  const hierarchy = await shop.hierarchy({ name: 'Kiosk' })
  const node = await shop.node(hierarchy)
  await shop.put(hierarchy, node, idOf('mug'))
  ids.kiosk = await shop.catalog([hierarchy], { name: 'Kiosk', pricebook_id: idOf('retail') })
  await shop.publish(idOf('kiosk'))
  await store.lead(idOf('kiosk'), 'kiosk')
  expect(namesIn(await getAsShopper('/products', { 'EP-Channel': 'kiosk' }))).toEqual(['Mug'])
  expect((await page('mug', { 'EP-Channel': 'kiosk' })).meta.display_price).toEqual(inDollars(1000))
  expect((await page('mug', { 'EP-Channel': 'web' })).meta.display_price, 'and all others').toEqual(
    inDollars(800),
  )
})

test('the merchant previews Friday, when a sale begins, with an explanation', async () => {
  const at = async (time: Date) => {
    const headers = { 'sutler-at': time.toISOString(), prefer: 'explain' }
    const { status, body } = await world.admin.get(`/catalog/products/${idOf('cap')}`, headers)
    expect(status).toBe(200)
    return body
  }
  const before = await at(new Date(friday.getTime() - 1))
  expect(before.data.meta.display_price).toEqual(inDollars(1200))
  expect(before.data.meta.explanation.price.sales).toMatchObject([
    { name: 'BlackFriday', reason: 'not begun' },
  ])
  const then = await at(friday)
  expect(then.data.meta).toMatchObject({
    sale_id: 'BlackFriday',
    display_price: inDollars(900),
    original_display_price: inDollars(1200),
  })
  expect(then.meta.explanation).toMatchObject({
    at: friday.toISOString(),
    catalog_id: idOf('catalog'),
    catalog_rule: null,
    catalog_rules: [{ reason: 'no_criterion_matches' }],
  })
  expect((await page('cap')).meta, 'and shoppers today').not.toHaveProperty('sale_id')
})

test('shoppers see a change after the next publication, and the delta has it', async () => {
  await shop.change(idOf('poster'), { name: 'Large poster' })
  await shop.change(idOf('cap'), { status: 'draft' })
  expect([(await page('poster')).attributes.name, (await page('cap')).id]).toEqual(['Poster', idOf('cap')])
  const release = await shop.publish(idOf('catalog'))
  expect(release.meta).toMatchObject({ is_full_publish: false, is_full_delta: false, total_products: 6 })
  expect((await page('poster')).attributes.name).toBe('Large poster')
  expect((await world.shopper.get(`/catalog/products/${idOf('cap')}`)).status).toBe(404)

  const changes = (await deltaOf(release)).map((one) => `${one.delta_type} ${one.id}`).sort()
  expect(changes).toEqual([`createupdate ${idOf('poster')}`, `delete ${idOf('cap')}`])
  const earlier = `/catalogs/${idOf('catalog')}/releases/${idOf('first')}/products/${idOf('poster')}`
  expect((await shop.get(earlier)).data.attributes.name, 'the release before').toBe('Poster')
})

test('the merchant sees why a product is invisible or cannot be bought', async () => {
  const failed = async (name: string) => {
    const { data } = await shop.get(`/catalogs/${idOf('catalog')}/visibility?product=${idOf(name)}`)
    return data.checks.flatMap(({ passed, verdict }: Any) => (passed ? [] : [verdict]))
  }
  expect(await failed('mug')).toEqual([])
  expect(await failed('poster')).toEqual(['unpriced'])
  expect(await failed('scarf')).toEqual([
    'draft',
    'cannot_be_published',
    'not_in_release',
    'not_in_release',
    'not_in_release',
  ])
  await shop.change(idOf('scarf'), { status: 'live' })
  expect(await failed('scarf')).toEqual([
    'not_published',
    'not_in_release',
    'not_in_release',
    'not_in_release',
  ])
})
