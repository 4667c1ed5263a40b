import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { png, uploaded } from '../../builders/store/uploads.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A merchant's first week, by HTTP alone: from an empty store to a set of built shirts. A test is a step. */

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
})
afterAll(() => world.close())

const ids: Record<string, string> = {}
const idOf = (name: string): string => {
  const id = ids[name]
  if (id === undefined) throw new Error(`an earlier step should have made ${name}`)
  return id
}

const get = async (path: string): Promise<Any> => {
  const { status, body } = await world.admin.get(path)
  expect([path, status]).toEqual([path, 200])
  return body
}
const send = async (method: string, path: string, data: unknown, expected: number): Promise<Any> => {
  const { status, body } = await world.admin.send(method, path, { body: JSON.stringify({ data }) })
  expect([path, status, body?.errors]).toEqual([path, expected, undefined])
  return body
}
/** Creates an object and stores it under a name. */
async function make(name: string, path: string, type: string, attributes: object, more = {}): Promise<Any> {
  const { data } = await send('POST', path, { type, attributes, ...more }, 201)
  ids[name] = data.id
  return data
}
const product = (name: string) => `/pcm/products/${idOf(name)}`
const node = (name: string) => `/pcm/hierarchies/${idOf('Shop')}/nodes/${idOf(name)}`
const links = (type: string, ...names: string[]) => names.map((name) => ({ type, id: idOf(name) }))
const namesIn = ({ data }: Any): string[] => data.map(({ attributes }: Any) => attributes.name)
const findSkus = async (filter: string): Promise<string[]> => {
  const { data, meta } = await get(`/pcm/products?filter=${encodeURIComponent(filter)}&page[limit]=100`)
  expect([filter, meta.results.total]).toEqual([filter, data.length])
  return namesIn({ data }).sort()
}

/** Starts a job, which is pending at first, and returns it when it has ended. */
async function done({ data: { id, attributes } }: Any): Promise<Any> {
  expect([attributes.status, attributes.completed_at]).toEqual(['pending', null])
  const status = async () => (await get(`/pcm/jobs/${id}`)).data.attributes.status
  await expect.poll(status, { timeout: 8000 }).toBe('success')
  expect((await get(`/pcm/jobs/${id}/errors`)).data).toEqual([])
  return (await get(`/pcm/jobs/${id}`)).data
}

/** The children of the shirt by their SKUs. */
async function childrenOfShirt(): Promise<Record<string, Any>> {
  const { data, meta } = await get(`${product('shirt')}/children`)
  expect(meta.results.total).toBe(data.length)
  return Object.fromEntries(data.map((child: Any) => [child.attributes.sku, child]))
}

test('the store begins with dollars, and changes its default to euros', async () => {
  const [dollars, ...others] = (await get('/v2/currencies')).data
  expect([dollars.code, dollars.default, others]).toEqual(['USD', true, []])
  const euro = { code: 'eur', exchange_rate: 0.9, format: '€{price}', decimal_places: 2 }
  const signs = { decimal_point: ',', thousand_separator: '.' }
  await send(
    'POST',
    '/v2/currencies',
    { type: 'currency', ...euro, ...signs, default: true, enabled: true },
    201,
  )
  // As a storefront shows them.
  const { body } = await world.shopper.get('/v2/currencies')
  expect(body.data.map((one: Any) => [one.code, one.default])).toEqual([
    ['USD', false],
    ['EUR', true],
  ])
})

test('everybody can see uploaded pictures', async () => {
  for (const [i, name] of ['front', 'back', 'handle'].entries()) {
    const content = png(100 * (i + 1), 80)
    const file = await uploaded(world, { name: `${name}.png`, content, type: 'image/png' })
    ids[name] = file.id
    expect(file.meta.dimensions).toEqual({ width: 100 * (i + 1), height: 80 })
    const shown = await fetch(file.link.href)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await shown.arrayBuffer()).equals(content)).toBe(true)
  }
  const { data } = await get('/v2/files?filter=ge(width,200)')
  expect(data.map(({ id }: Any) => id)).toEqual([idOf('handle'), idOf('back')])
})

test('a template has the materials of garments', async () => {
  const flow = await makeFlow(world.admin, 'products(garment)', {
    fabric: {
      field_type: 'string',
      required: true,
      validation_rules: [{ type: 'enum', options: ['cotton', 'linen'] }],
    },
    wash: {
      field_type: 'integer',
      default: 30,
      validation_rules: [{ type: 'between', options: { from: 20, to: 95 } }],
    },
  })
  ids.garment = flow.id
  const { data } = await get('/v2/flows/products(garment)/fields')
  expect(data.map(({ slug }: Any) => slug).sort()).toEqual(['fabric', 'wash'])
  // SDKs use this path.
  expect((await get('/v2/flows/products(garment)/attributes')).data).toEqual(data)
})

test('the merchant describes a shirt and a mug with pictures, and the shirt by its template', async () => {
  const shared = { commodity_type: 'physical', status: 'live' }
  await make('shirt', '/pcm/products', 'product', {
    ...shared,
    name: 'Shirt',
    sku: 'shirt-{size}',
    slug: 'shirt',
    tags: ['Wear', 'summer'],
    locales: { 'fr-FR': { name: 'Chemise' } },
    shopper_attributes: { cut: 'slim' },
  })
  await make('mug', '/pcm/products', 'product', { ...shared, name: 'Mug', sku: 'mug', tags: ['kitchen'] })
  const path = `${product('shirt')}/relationships`
  await send('POST', `${path}/files`, links('file', 'front', 'back'), 204)
  await send('POST', `${path}/main_image`, links('file', 'front')[0], 204)
  await send('POST', `${product('mug')}/relationships/main_image`, links('file', 'handle')[0], 204)
  await send('POST', `${path}/templates`, links('template', 'garment'), 201)
  const entry = { type: 'entry', id: idOf('shirt'), fabric: 'linen' }
  await send('POST', '/v2/flows/products(garment)/entries', entry, 201)

  const { data, included } = await get(`${product('shirt')}?include=main_image,files`)
  expect(data.attributes).toMatchObject({
    tags: ['wear', 'summer'],
    extensions: { 'products(garment)': { fabric: 'linen', wash: 30 } },
  })
  const [image] = included.main_images
  expect([image.id, data.relationships.main_image.data.id]).toEqual([idOf('front'), idOf('front')])
  expect((await fetch(image.link.href)).status).toBe(200)
  expect(included.files.map(({ id }: Any) => id).sort()).toEqual([idOf('front'), idOf('back')].sort())
  const wrong = await world.admin.put(`/v2/flows/products(garment)/entries/${idOf('shirt')}`, {
    data: { type: 'entry', wash: 100 },
  })
  expect(wrong.status).toBe(422)
  expect(await findSkus('eq(extensions.garment.fabric,linen)')).toEqual(['Shirt'])
})

test('the shirt has sizes and colours, with excluded combinations', async () => {
  const options = { size: ['S', 'M'], colour: ['Red', 'Blue'] }
  for (const [variation, names] of Object.entries(options)) {
    await make(variation, '/pcm/variations', 'product-variation', { name: variation })
    for (const name of names) {
      const path = `/pcm/variations/${idOf(variation)}/options`
      await make(name, path, 'product-variation-option', { name, description: `In ${name}` })
    }
  }
  for (const [size, set] of [
    ['S', 'small'],
    ['M', 'medium'],
  ] as const) {
    const path = `/pcm/variations/${idOf('size')}/options/${idOf(size)}/modifiers`
    const filledIn = { type: 'sku_builder', seek: '{size}', set }
    await make(`sku of ${size}`, path, 'product-variation-modifier', filledIn)
    await make(`name of ${size}`, path, 'product-variation-modifier', {
      type: 'name_append',
      value: ` ${size}`,
    })
  }
  const variations = links('product-variation', 'size', 'colour')
  await send('PUT', `${product('shirt')}/relationships/variations`, variations, 204)
  const build_rules = { default: 'include', exclude: [[idOf('S'), idOf('Blue')]] }
  const data = { type: 'product', id: idOf('shirt'), attributes: { build_rules } }
  const { data: shirt } = await send('PUT', product('shirt'), data, 200)
  expect(shirt.meta.product_types).toEqual(['standard'])
})

test('the build creates a product for each combination, and the matrix lists them', async () => {
  await done(await send('POST', `${product('shirt')}/build`, undefined, 201))
  const children = await childrenOfShirt()
  expect(Object.keys(children).sort()).toEqual(['shirt-mediumBlue', 'shirt-mediumRed', 'shirt-smallRed'])
  for (const [sku, { id }] of Object.entries(children)) ids[sku] = id
  const red = children['shirt-smallRed']
  expect(red.attributes).toMatchObject({
    name: 'Shirt S',
    slug: 'shirtSRed',
    status: 'live',
    tags: ['wear', 'summer'],
    shopper_attributes: { cut: 'slim' },
    extensions: { 'products(garment)': { fabric: 'linen', wash: 30 } },
  })
  expect(red.meta.product_types).toEqual(['child'])
  expect(red.relationships.base_product.data).toEqual({ type: 'product', id: idOf('shirt') })
  const { meta } = (await get(product('shirt'))).data
  expect(meta.product_types).toEqual(['parent'])
  const { S, M, Red, Blue } = ids as Record<'S' | 'M' | 'Red' | 'Blue', string>
  expect(meta.variation_matrix).toEqual({
    [S]: { [Red]: idOf('shirt-smallRed') },
    [M]: { [Red]: idOf('shirt-mediumRed'), [Blue]: idOf('shirt-mediumBlue') },
  })
})

test('a build with another size keeps the ids and the manual changes of existing children', async () => {
  const attributes = { description: 'The last ones' }
  const child = product('shirt-smallRed')
  await send('PUT', child, { type: 'product', id: idOf('shirt-smallRed'), attributes }, 200)
  const large = { name: 'L', description: 'In L' }
  await make('L', `/pcm/variations/${idOf('size')}/options`, 'product-variation-option', large)
  const renamed = { type: 'product', id: idOf('shirt'), attributes: { name: 'Linen shirt' } }
  await send('PUT', product('shirt'), renamed, 200)
  await done(await send('POST', `${product('shirt')}/build`, {}, 201))

  const children = await childrenOfShirt()
  // Its SKU ends in the option's name, as no modifier sets it.
  expect(Object.keys(children)).toHaveLength(5)
  for (const sku of ['shirt-smallRed', 'shirt-mediumRed', 'shirt-mediumBlue']) {
    expect([sku, children[sku].id]).toEqual([sku, idOf(sku)])
  }
  expect(children['shirt-mediumRed'].attributes.name).toBe('Linen shirt M')
  expect(children['shirt-smallRed'].attributes).toMatchObject({ name: 'Shirt S', ...attributes })
})

test('a gift set has a choice of shirts and a mug', async () => {
  const option = (name: string, more = {}) => ({ id: idOf(name), type: 'product', quantity: 1, ...more })
  const components = {
    shirt: {
      name: 'Shirt',
      min: 1,
      max: 1,
      options: [option('shirt-mediumRed', { default: true }), option('shirt-mediumBlue')],
    },
    mugs: { name: 'Mugs', options: [option('mug', { quantity: 2, default: true })] },
  }
  const attributes = { name: 'Gift set', commodity_type: 'physical', sku: 'gift', status: 'live', components }
  const bundle = await make('gift', '/pcm/products', 'product', attributes)
  expect(bundle.meta.product_types).toEqual(['bundle'])
  expect(bundle.attributes.components).toEqual(components)
  const { included } = await get(`${product('gift')}?include=component_products,main_image`)
  expect(namesIn({ data: included.component_products }).sort()).toEqual([
    'Linen shirt M',
    'Linen shirt M',
    'Mug',
  ])
  expect((await world.admin.delete(product('mug'))).status, 'a part of a bundle stays').toBe(422)
})

test('associated products show each other', async () => {
  const attributes = { name: 'Goes with', slug: 'goes_with', bi_directional: true }
  const relationship = await make('with', '/pcm/custom-relationships', 'custom-relationship', attributes)
  const { slug } = relationship.attributes
  expect(slug).toBe('CRP_goes_with')
  const path = (name: string) => `${product(name)}/custom-relationships`
  await send('POST', path('shirt'), [{ type: 'custom-relationship', slug }], 201)
  const { meta } = await send('POST', `${path('shirt')}/${slug}`, links('product', 'mug', 'gift'), 201)
  expect([meta.associated_products, meta.products_not_associated]).toEqual([[idOf('mug'), idOf('gift')], []])
  expect(namesIn(await get(`${path('shirt')}/${slug}/products`))).toEqual(['Mug', 'Gift set'])
  expect(namesIn(await get(`${path('mug')}/${slug}/products`))).toEqual(['Linen shirt'])
})

test('the list of tags has the tags of the products', async () => {
  const { data } = await get('/pcm/tags')
  expect(data.map(({ attributes }: Any) => attributes.value).sort()).toEqual(['kitchen', 'summer', 'wear'])
  expect(await findSkus('eq(tags,kitchen)')).toEqual(['Mug'])
  expect(await findSkus('in(tags,kitchen,wear):eq(product_types,parent)')).toEqual(['Linen shirt'])
})

test('a shop is a tree whose nodes lead to products and can be moved', async () => {
  await make('Shop', '/pcm/hierarchies', 'hierarchy', { name: 'Shop', slug: 'shop' })
  await make('Sale', '/pcm/hierarchies', 'hierarchy', { name: 'Sale', slug: 'sale' })
  const nodes = `/pcm/hierarchies/${idOf('Shop')}/nodes`
  const below = (name: string) => ({ relationships: { parent: { data: links('node', name)[0] } } })
  await make('Clothes', nodes, 'node', { name: 'Clothes', slug: 'clothes' })
  await make('Home', nodes, 'node', { name: 'Home', slug: 'home' }, { meta: { sort_order: 2 } })
  await make('Tops', nodes, 'node', { name: 'Tops', slug: 'tops' }, below('Home'))
  await make('Shirts', nodes, 'node', { name: 'Shirts', slug: 'shirts' }, below('Tops'))
  const sales = `/pcm/hierarchies/${idOf('Sale')}/nodes`
  await make('Now', sales, 'node', { name: 'Now' })

  const top = `/pcm/hierarchies/${idOf('Shop')}/children`
  expect(namesIn(await get(top))).toEqual(['Home', 'Clothes'])
  const first = [{ type: 'node', id: idOf('Clothes'), meta: { sort_order: 5 } }]
  await send('POST', `/pcm/hierarchies/${idOf('Shop')}/relationships/children`, first, 200)
  expect(namesIn(await get(top))).toEqual(['Clothes', 'Home'])

  await send('PUT', `${node('Tops')}/relationships/parent`, links('node', 'Clothes')[0], 204)
  const { data: shirts } = await get(node('Shirts'))
  expect(shirts.meta.breadcrumbs.map(({ name }: Any) => name)).toEqual(['Shop', 'Clothes', 'Tops', 'Shirts'])
  const inClothes = await get(`/pcm/hierarchies/nodes?filter=in(breadcrumbs.id,${idOf('Clothes')})`)
  expect(namesIn(inClothes).sort()).toEqual(['Clothes', 'Shirts', 'Tops'])
  const home = await get(`${node('Home')}/children`)
  expect([namesIn(home), home.meta.results.total]).toEqual([[], 0])
  const round = await world.admin.put(`${node('Clothes')}/relationships/parent`, {
    data: links('node', 'Shirts')[0],
  })
  expect(round.status, 'below itself').toBe(422)
})

test('products are added one by one and by a filter, with the curated ones first', async () => {
  const shown = async () => namesIn(await get(`${node('Shirts')}/products`))
  await send('POST', `${node('Shirts')}/relationships/products`, links('product', 'shirt', 'gift'), 201)
  const curated = { curated_products: [idOf('shirt')] }
  await send('PUT', node('Shirts'), { type: 'node', id: idOf('Shirts'), attributes: curated }, 200)
  expect(await shown()).toEqual(['Linen shirt', 'Gift set'])

  const wear = { filter: 'eq(tags,wear)', node_ids: [idOf('Now')] }
  const { meta } = await send('POST', '/pcm/products/attach_nodes', wear, 200)
  expect(meta).toEqual({ nodes_attached: 1, nodes_not_found: [] })
  const sale = `/pcm/hierarchies/${idOf('Sale')}/nodes/${idOf('Now')}/products`
  expect((await get(sale)).meta.results.total, 'the shirt, and its five children').toBe(6)
  expect(namesIn(await get(`${product('shirt')}/nodes`)).sort()).toEqual(['Now', 'Shirts'])
  expect(await findSkus('eq(has_nodes,false)')).toEqual(['Mug'])

  await send('DELETE', `${node('Shirts')}/relationships/products`, links('product', 'shirt'), 200)
  expect(await shown()).toEqual(['Gift set'])
  expect((await get(node('Shirts'))).data.attributes.curated_products).toEqual([])
})

test('a copy of the shop for the next season has its products', async () => {
  const attributes = { name: 'Shop, autumn', include_products: true }
  const path = `/pcm/hierarchies/${idOf('Shop')}/duplicate_job`
  const { meta } = await done(await send('POST', path, { type: 'hierarchy', attributes }, 201))
  const copy = `/pcm/hierarchies/${meta.hierarchy_id}`
  expect((await get(copy)).data.attributes).toMatchObject({ name: 'Shop, autumn', slug: 'shop' })
  expect(namesIn(await get(`${copy}/children`))).toEqual(['Clothes', 'Home'])
  const { data: nodes } = await get(`${copy}/nodes?filter=eq(name,Shirts)`)
  expect(nodes[0].meta.breadcrumbs.map(({ name }: Any) => name).join(' > ')).toBe(
    'Shop, autumn > Clothes > Tops > Shirts',
  )
  expect(namesIn(await get(`${copy}/nodes/${nodes[0].id}/products`))).toEqual(['Gift set'])
})

test('a walk has each object once, and only for the merchant', async () => {
  const walked: string[] = []
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { data } = await get(`/pcm/products?sort=id&page[limit]=3&filter=gt(id,${last})`)
    if (data.length === 0) break
    walked.push(...data.map(({ id }: Any) => id))
    last = walked.at(-1) as string
  }
  const paged: string[] = []
  for (let next: string | undefined = '/pcm/products?page[limit]=3'; next; ) {
    const { data, links, meta } = await get(next)
    expect(meta.results.total).toBe(8)
    paged.push(...data.map(({ id }: Any) => id))
    // Only earlier pages have a link to it, so that clients stop there.
    expect('last' in links).toBe('next' in links)
    next = links.next
  }
  expect([walked.length, paged.toSorted()]).toEqual([8, walked])
  expect((await world.shopper.get('/pcm/products')).status).toBe(403)
  expect((await world.other.get('/pcm/products')).body.meta.results.total).toBe(0)
})

test('deletes leave nothing behind, and delete nothing else', async () => {
  await send('DELETE', node('Tops'), undefined, 204)
  expect((await world.admin.get(node('Shirts'))).status).toBe(404)
  expect(namesIn(await get(`${product('gift')}/nodes`)), 'but in the copy').toEqual(['Shirts'])
  expect((await world.admin.delete(product('shirt'))).status, 'while it is in the set').toBe(422)
  await send('DELETE', product('gift'), undefined, 204)
  await send('DELETE', product('shirt'), undefined, 204)
  expect(await findSkus('in(product_types,parent,child,bundle)')).toEqual([])
  const { data } = await get('/pcm/tags')
  expect(data.map(({ attributes }: Any) => attributes.value)).toEqual(['kitchen'])
  await send('DELETE', `/pcm/variations/${idOf('size')}`, undefined, 204)
  await send('DELETE', `/v2/files/${idOf('handle')}`, undefined, 204)
  expect((await get(product('mug'))).data.relationships.main_image).toEqual({ data: null })
})
