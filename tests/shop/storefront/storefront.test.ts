import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { idsOf, storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

test('rules choose the catalog; without a matching rule it is the oldest; without a catalog the answer is 404', async () => {
  const { hierarchy, node } = await store.shelf()
  const product = await shop.product()
  await shop.put(hierarchy, node, product)
  const oldest = await shop.catalog([(await store.shelf()).hierarchy])
  const catalog = await shop.catalog([hierarchy])
  await store.lead(catalog, 'rules')
  expect((await world.shopper.get('/catalog')).status).toBe(404)
  const { status, body } = await store.see('rules', '/catalog')
  expect([status, body.errors[0].title]).toEqual([404, 'Not Found'])
  const release = await shop.publish(catalog)
  const { data } = await store.read('rules', '/catalog')
  expect(data).toMatchObject({
    type: 'catalog-release',
    id: release.id,
    attributes: { catalog_id: catalog, hierarchies: [{ id: hierarchy }] },
    relationships: {
      hierarchies: { links: { related: '/catalog/hierarchies' } },
      products: { links: { related: '/catalog/products' } },
    },
  })
  await shop.publish(oldest)
  expect((await world.shopper.get('/catalog')).body.data.attributes.catalog_id).toBe(oldest)
  expect((await world.shopper.get(`/catalog/products/${product}`)).status).toBe(404)
})

test('shoppers read nodes and hierarchies, their lists and their products', async () => {
  const { hierarchy, node } = await store.shelf()
  const below = await shop.node(hierarchy, node, { slug: 'below', locales: { fr: { name: 'Dessous' } } })
  const [one, two, three] = [await shop.product(), await shop.product(), await shop.product()]
  await shop.put(hierarchy, node, one, two)
  await shop.put(hierarchy, below, three)
  await shop.send(
    'PUT',
    `/pcm/hierarchies/${hierarchy}/nodes/${node}`,
    { type: 'node', id: node, attributes: { curated_products: [one] } },
    200,
  )
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, 'nodes')
  for (const prefix of [
    '/catalog',
    `/catalogs/${catalog}/releases/latestPublished`,
    `/pcm/catalogs/${catalog}/releases/latest`,
  ]) {
    const read = async (path: string, headers = {}): Promise<Any> => {
      const { status, body } = await world.admin.get(prefix + path, { 'ep-channel': 'nodes', ...headers })
      expect([prefix, path, status]).toEqual([prefix, path, 200])
      return body
    }
    expect(idsOf(await read('/hierarchies'))).toEqual([hierarchy])
    expect(idsOf(await read(`/hierarchies/${hierarchy}/children`))).toEqual([node])
    expect(idsOf(await read(`/hierarchies/${hierarchy}/nodes`)).sort()).toEqual([node, below].sort())
    expect(idsOf(await read(`/nodes/${node}/relationships/children`))).toEqual([below])
    const all = await read('/nodes?filter=eq(slug,below)')
    expect([idsOf(all), all.meta.results.total]).toEqual([[below], 1])
    expect(idsOf(await read(`/nodes?filter=in(id,${node},${below})`)).sort()).toEqual([node, below].sort())
    const curated = await read(`/nodes/${node}/relationships/products`)
    expect(idsOf(curated)).toEqual([one, two])
    expect(curated.data.map(({ attributes }: Any) => attributes.curated_product)).toEqual([true, undefined])
    expect(idsOf(await read(`/hierarchies/${hierarchy}/products`)).sort()).toEqual([one, two, three].sort())
    if (prefix !== '/catalog') {
      const same = await read(`/hierarchies/${hierarchy}/relationships/products`)
      expect(idsOf(same).sort()).toEqual([one, two, three].sort())
      const { body } = await world.admin.get('/pcm/catalogs/nodes', { 'ep-channel': 'nodes' })
      expect(idsOf(body).sort()).toEqual([node, below].sort())
    }
    // Clients climb from a node to its parent, and the parent of a topmost node is its hierarchy.
    const topmost = (await read(`/nodes/${node}`)).data.relationships
    expect(topmost.parent).toMatchObject({ data: { type: 'node', id: hierarchy } })
    const root = (await read(`/nodes/${hierarchy}`)).data
    expect(root).toMatchObject({
      type: 'node',
      id: hierarchy,
      attributes: { status: 'live' },
      meta: { bread_crumb: [hierarchy], breadcrumbs: [{ id: hierarchy }], has_children: true },
      relationships: { hierarchy: { data: { type: 'hierarchy', id: hierarchy } } },
    })
    expect(root.relationships).not.toHaveProperty('parent')
    expect(idsOf(await read(`/nodes/${hierarchy}/relationships/children`))).toEqual([node])
    expect(idsOf(await read(`/nodes/${hierarchy}/relationships/products`)).sort()).toEqual(
      [one, two, three].sort(),
    )
    const { data } = await read(`/nodes/${below}`, { 'accept-language': 'de, fr-CA;q=0.5' })
    expect(data.attributes).toMatchObject({ name: 'Dessous', slug: 'below', status: 'live' })
    expect(data.meta).toMatchObject({
      language: 'fr',
      has_children: false,
      bread_crumb: [hierarchy, node, below],
      breadcrumbs: [{ id: hierarchy }, { id: node }, { id: below, slug: 'below' }],
    })
    expect(data.relationships).toMatchObject({
      hierarchy: { data: { type: 'hierarchy', id: hierarchy } },
      parent: { data: { type: 'node', id: node } },
    })
    expect((await read(`/hierarchies/${hierarchy}`)).data).toMatchObject({ type: 'hierarchy', id: hierarchy })
    for (const path of [`/hierarchies/${node}`, '/nodes/none', '/products/none', `/products/${node}`]) {
      const { status } = await world.admin.get(prefix + path, { 'ep-channel': 'nodes' })
      expect([path, status]).toEqual([path, 404])
    }
  }
})

test('the node paths that an SDK calls for merchants answer like those of shoppers', async () => {
  const { hierarchy, node } = await store.shelf()
  const below = await shop.node(hierarchy, node)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, 'paths')
  const read = async (path: string) => {
    const { status, body } = await world.admin.get(path, { 'ep-channel': 'paths' })
    return { status, data: body.data }
  }
  for (const path of ['nodes', `nodes/${node}`, `nodes/${node}/relationships/children`]) {
    const expected = await read(`/catalog/${path}`)
    expect(expected.status).toBe(200)
    for (const prefix of ['/catalogs', '/pcm/catalogs'])
      expect(await read(`${prefix}/${path}`)).toEqual(expected)
  }
  expect(idsOf(await read(`/pcm/catalogs/nodes/${node}/relationships/children`))).toEqual([below])
})

test('products are filtered by published values, with clauses joined by commas or colons', async () => {
  const { hierarchy, node } = await store.shelf()
  const attributes = { upc_ean: '401', mpn: 'M-1', tags: ['Warm', 'new'] }
  const one = await shop.product({ name: 'Rye', sku: 'f-rye', slug: 'f-rye', ...attributes })
  const two = await shop.product({ name: 'Oat', sku: 'f-oat', slug: 'f-oat', tags: ['new'] })
  await shop.put(hierarchy, node, one, two)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, 'filters')
  const both = [one, two].sort()
  const find = async (list: string, filter: string) => {
    const body = await store.read('filters', `${list}?filter=${encodeURIComponent(filter)}&sort=-name`)
    expect([filter, body.meta.results.total]).toEqual([filter, body.data.length])
    return idsOf(body).sort()
  }
  for (const list of [
    '/catalog/products',
    `/catalog/nodes/${node}/relationships/products`,
    `/catalog/hierarchies/${hierarchy}/products`,
  ]) {
    for (const [filter, ids] of [
      ['eq(name,Rye)', [one]],
      ['eq(sku,f-oat)', [two]],
      ['in(slug,f-oat,f-rye)', both],
      ['eq(manufacturer_part_num,M-1)', [one]],
      ['eq(upc_ean,401)', [one]],
      ['eq(product_types,standard)', both],
      ['in(product_types,bundle,parent)', []],
      ['eq(tags,WARM)', [one]],
      ['in(tags,warm,new)', both],
      [`in(id,${two})`, [two]],
      ['eq(name,Rye):eq(sku,f-rye)', [one]],
      ['eq(name,Rye),eq(sku,f-oat)', []],
      ['eq(name,Rye)|eq(sku,f-oat)', both],
    ] as const) {
      expect([filter, await find(list, filter)]).toEqual([filter, ids])
    }
  }
})

test('a client that follows the links of a list sees one release, whatever is published meanwhile', async () => {
  const { hierarchy, node } = await store.shelf()
  const products: string[] = []
  for (let i = 0; i < 5; i++) products.push(await shop.product({ name: `before ${i}` }))
  await shop.put(hierarchy, node, ...products)
  const catalog = await shop.catalog([hierarchy])
  const { id } = await shop.publish(catalog)
  await store.lead(catalog, 'walk')
  let page = await store.read('walk', '/catalog/products?page[limit]=2')
  const names: string[] = page.data.map(({ attributes }: Any) => attributes.name)
  expect(page.links.next).toContain(`release=${id}`)
  await shop.change(products[0] as string, { status: 'draft' })
  for (const [i, product] of products.entries()) if (i > 0) await shop.change(product, { name: `after ${i}` })
  await shop.publish(catalog)
  while (page.links.next) {
    page = await store.read('walk', page.links.next)
    expect(page.meta.results.total).toBe(5)
    names.push(...page.data.map(({ attributes }: Any) => attributes.name))
  }
  expect(names.sort()).toEqual([0, 1, 2, 3, 4].map((i) => `before ${i}`))
  const now = await store.read('walk', `/catalog/products?release=${catalog}`)
  expect([now.meta.results.total, now.data[0].attributes.name.slice(0, 5)]).toEqual([4, 'after'])
})

test('the texts of a product are in the requested language', async () => {
  const { hierarchy, node } = await store.shelf()
  const locales = { 'fr-FR': { name: 'Pain', description: 'Bon' }, de: { name: 'Brot' } }
  const product = await shop.product({ name: 'Bread', description: 'Good', locales })
  await shop.put(hierarchy, node, product)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, 'texts')
  for (const [headers, name, description, language] of [
    [{ 'accept-language': 'fr-FR' }, 'Pain', 'Bon', 'fr-FR'],
    [{ 'accept-language': 'de-AT;q=0.9, en;q=0.2' }, 'Brot', 'Good', 'de'],
    [{ 'accept-language': 'de;q=0.1, fr-fr;q=0.2' }, 'Pain', 'Bon', 'fr-FR'],
    [{ 'accept-language': 'fr-FR', 'x-moltin-language': 'de' }, 'Brot', 'Good', 'de'],
    [{ 'accept-language': 'it' }, 'Bread', 'Good', undefined],
    [{}, 'Bread', 'Good', undefined],
  ] as const) {
    const { data } = await store.read('texts', `/catalog/products/${product}`, headers)
    expect([data.attributes.name, data.attributes.description, data.meta.language]).toEqual([
      name,
      description,
      language,
    ])
    expect(data.attributes).not.toHaveProperty('locales')
  }
})

test('related products have their order, and files can be included', async () => {
  const { hierarchy, node } = await store.shelf()
  const [from, near, far, unlisted] = [
    await shop.product(),
    await shop.product(),
    await shop.product(),
    await shop.product(),
  ]
  await shop.put(hierarchy, node, from, near, far)
  await shop.send(
    'POST',
    '/pcm/custom-relationships',
    {
      type: 'custom-relationship',
      attributes: { name: 'Goes with', slug: 'CRP_goes-with' },
    },
    201,
  )
  const link = { type: 'custom-relationship', id: 'CRP_goes-with' }
  await world.admin.post(`/pcm/products/${from}/custom-relationships`, {
    data: [{ ...link, slug: 'CRP_goes-with' }],
  })
  await world.admin.post(`/pcm/products/${from}/custom-relationships/CRP_goes-with`, {
    data: [far, unlisted, near].map((id) => ({ type: 'product', id })),
  })
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, 'related')
  const { data } = await store.read('related', `/catalog/products/${from}`)
  const at = `/catalog/products/${from}/relationships/CRP_goes-with/products`
  expect(data.relationships.custom_relationships.links).toEqual({ 'CRP_goes-with': at })
  const page = await store.read('related', `${at}?page[limit]=1`)
  expect([idsOf(page), page.meta.results.total]).toEqual([[far], 2])
  expect(idsOf(await store.read('related', page.links.next))).toEqual([near])
  expect(idsOf(await store.read('related', at.replace('goes-with', 'none')))).toEqual([])
})
