import { afterAll, beforeAll, expect, test } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { inTheWay } from '../../support/in-the-way.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let merchant: Merchant
beforeAll(async () => {
  world = await openWorld()
  merchant = new Merchant(world)
})
afterAll(() => world.close())

test('a build makes a child per combination, and children keep their ids while their options stay', async () => {
  const size = await merchant.variation('Size', 'S', 'M')
  const colour = await merchant.variation('Colour', 'Red', 'Blue')
  const id = await merchant.product({ sku: 'shirt', slug: 'shirt', status: 'live', tags: ['new'] })
  await merchant.link(id, size.id, colour.id)
  expect((await merchant.get(id)).meta).toMatchObject({ product_types: ['standard'], variation_matrix: {} })

  expect(await merchant.build(id)).toEqual([])
  const first = await merchant.children(id)
  expect(Object.keys(first).sort()).toEqual(['shirtMBlue', 'shirtMRed', 'shirtSBlue', 'shirtSRed'])
  const { S = '', M = '' } = size.of
  const { Red = '', Blue = '' } = colour.of
  const parent = await merchant.get(id)
  expect(parent.meta.product_types).toEqual(['parent'])
  expect(parent.meta.variation_matrix).toEqual({
    [S]: { [Red]: first.shirtSRed, [Blue]: first.shirtSBlue },
    [M]: { [Red]: first.shirtMRed, [Blue]: first.shirtMBlue },
  })
  // Without a sort order options are in the order of their names.
  const inOrder = (of: Record<string, string>) =>
    Object.keys(of)
      .sort()
      .map((name) => ({ id: of[name], name }))
  expect(parent.meta.variations).toEqual([
    { id: size.id, name: 'Size', options: inOrder(size.of) },
    { id: colour.id, name: 'Colour', options: inOrder(colour.of) },
  ])
  const child = await merchant.get(first.shirtSRed ?? '')
  expect(child.attributes).toEqual({
    name: 'Shirt',
    commodity_type: 'physical',
    sku: 'shirtSRed',
    slug: 'shirtSRed',
    status: 'live',
    tags: ['new'],
  })
  expect(child.relationships.base_product).toEqual({ data: { type: 'product', id } })
  expect(child.meta).toMatchObject({
    product_types: ['child'],
    variation_matrix: {},
    child_variations: [
      { id: size.id, name: 'Size', options: null, option: { id: S, name: 'S' } },
      { id: colour.id, name: 'Colour', options: null, option: { id: Red, name: 'Red' } },
    ],
  })

  // One option more, one less, and one more variation.
  await merchant.option(size.id, 'L')
  expect(await merchant.build(id)).toEqual([])
  const second = await merchant.children(id)
  expect(second).toMatchObject(first)
  expect(Object.keys(second)).toHaveLength(6)
  const options = `/pcm/variations/${colour.id}/options`
  expect((await world.admin.delete(`${options}/${Blue}`)).status).toBe(204)
  expect(await merchant.build(id)).toEqual([])
  const third = await merchant.children(id)
  expect(Object.keys(third).sort()).toEqual(['shirtLRed', 'shirtMRed', 'shirtSRed'])
  expect(second).toMatchObject(third)
  const material = await merchant.variation('Material', 'Wool')
  await merchant.link(id, size.id, colour.id, material.id)
  expect(await merchant.build(id)).toEqual([])
  const fourth = await merchant.children(id)
  expect(Object.keys(fourth).sort()).toEqual(['shirtLRedWool', 'shirtMRedWool', 'shirtSRedWool'])
  expect(Object.values(fourth).filter((one) => Object.values(third).includes(one))).toEqual([])

  // Another order of the variations keeps the children.
  await merchant.link(id, material.id, colour.id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const fifth = await merchant.children(id)
  expect(fifth.shirtWoolRedL).toBe(fourth.shirtLRedWool)
  expect(Object.keys((await merchant.get(id)).meta.variation_matrix)).toEqual(Object.values(material.of))
})

test('children follow their parent and the modifiers until they are edited', async () => {
  const size = await merchant.variation('Size', 'Small', 'Large')
  const id = await merchant.product({ sku: 'mug', slug: 'mug', description: 'For tea.' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const { mugSmall = '', mugLarge = '' } = await merchant.children(id)
  const before = await merchant.get(mugLarge)
  await merchant.change(mugSmall, { description: 'For coffee.' })
  await merchant.change(id, { description: 'For milk.', name: 'Mug' })
  await merchant.modifier(size.id, size.of.Large, { type: 'slug_append', value: '-xl' })
  expect(await merchant.build(id)).toEqual([])
  expect((await merchant.get(mugSmall)).attributes).toMatchObject({
    name: 'Shirt',
    description: 'For coffee.',
  })
  const after = await merchant.get(mugLarge)
  expect(after.attributes).toMatchObject({
    name: 'Mug',
    description: 'For milk.',
    slug: 'mug-xl',
    sku: 'mugLarge',
  })
  expect(after.meta.updated_at > before.meta.updated_at).toBe(true)

  // A build does not write a child that it does not change.
  expect(await merchant.build(id)).toEqual([])
  expect((await merchant.get(mugLarge)).meta.updated_at).toBe(after.meta.updated_at)

  // After it is deleted and built again, it follows its parent.
  expect((await world.admin.delete(`/pcm/products/${mugSmall}`)).status).toBe(204)
  expect(await merchant.build(id)).toEqual([])
  const again = await merchant.children(id)
  expect(again.mugSmall).not.toBe(mugSmall)
  expect((await merchant.get(again.mugSmall ?? '')).attributes).toMatchObject({
    name: 'Mug',
    description: 'For milk.',
  })
})

test('children can take over SKUs of each other and of removed children', async () => {
  const size = await merchant.variation('Size', 'a', 'b', 'c')
  const id = await merchant.product({ sku: 'pan' })
  await merchant.link(id, size.id)
  const set = async (option: string, value: string) => {
    const path = `/pcm/variations/${size.id}/options/${size.of[option]}`
    const data = { type: 'product-variation-option', id: size.of[option], attributes: { name: value } }
    expect((await world.admin.put(path, { data })).status).toBe(200)
  }
  expect(await merchant.build(id)).toEqual([])
  const before = await merchant.children(id)
  await set('a', 'b')
  await set('b', 'c')
  expect((await world.admin.delete(`/pcm/variations/${size.id}/options/${size.of.c}`)).status).toBe(204)
  await merchant.option(size.id, 'a')
  expect(await merchant.build(id)).toEqual([])
  const after = await merchant.children(id)
  expect([after.panb, after.panc]).toEqual([before.pana, before.panb])
  expect(Object.values(before)).not.toContain(after.pana)
})

test('a failed build changes nothing, and the job says why', async () => {
  const size = await merchant.variation('Size', 'S', 'M')
  const id = await merchant.product({ sku: 'hat', slug: 'hat' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const [before, built] = [await merchant.get(id), await merchant.children(id)]
  const expectAsBefore = async () => {
    expect(await merchant.children(id)).toEqual(built)
    expect((await merchant.get(id)).meta.variation_matrix).toEqual(before.meta.variation_matrix)
  }
  const other = await merchant.product({ sku: 'hatL' })
  await merchant.option(size.id, 'L')
  expect(await merchant.build(id)).toEqual([
    `data.attributes.sku: Must be unique amongst products. The child of Size: L would have "hatL", which already belongs to the product ${other}.`,
  ])
  await expectAsBefore()
  expect((await world.admin.delete(`/pcm/products/${other}`)).status).toBe(204)

  const unsafe = await merchant.option(size.id, 'very large')
  expect(await merchant.build(id)).toEqual([
    'slug must be URL compatible: the child of Size: very large would have the slug "hatvery large".',
  ])
  await expectAsBefore()
  expect((await world.admin.delete(`/pcm/variations/${size.id}/options/${unsafe}`)).status).toBe(204)

  await merchant.change(id, {
    build_rules: { default: 'include', include: [[size.of.S]], exclude: [[size.of.S]] },
  })
  expect(await merchant.build(id)).toEqual([
    'could not determine whether to include or exclude a child product due to ambiguous rules (Size: S)',
  ])
  await expectAsBefore()
  await merchant.change(id, { build_rules: { default: 'include', exclude: [[size.of.S]] } })
  expect(await merchant.build(id)).toEqual([])
  expect(Object.keys(await merchant.children(id)).sort()).toEqual(['hatL', 'hatM'])
  const shown = (await merchant.get(id)).meta.variations[0].options
  expect(shown.map(({ name }: { name: string }) => name).sort()).toEqual(['L', 'M'])
})

test('a product that cannot have children is not built', async () => {
  const build = async (id: string) => {
    const { status, body } = await world.admin.post(`/pcm/products/${id}/build`, {})
    return [status, body.errors?.[0].title, body.errors?.[0].detail]
  }
  const refused = (detail: string) => [422, 'Failed Validation', detail]
  const id = await merchant.product({ sku: 'bag' })
  expect(await build(id)).toEqual(
    refused('The product has no variations; link variations with options first.'),
  )
  const [size, empty] = [await merchant.variation('Size', 'S'), await merchant.variation('Empty')]
  await merchant.link(id, size.id, empty.id)
  expect(await build(id)).toEqual(refused('The variation Empty has no options; add options first.'))
  await merchant.link(id, size.id)
  const bundle = await merchant.product({
    sku: 'set',
    components: { bag: { name: 'Bag', options: [{ type: 'product', id, quantity: 1 }] } },
  })
  expect(await build(id)).toEqual(
    refused(`The product is an option of the bundle ${bundle}, so it cannot become a parent.`),
  )
  expect(await build(bundle)).toEqual(refused('A bundle product cannot have children.'))
  expect((await world.admin.delete(`/pcm/products/${bundle}`)).status).toBe(204)
  expect(await merchant.build(id)).toEqual([])
  expect(await build(Object.values(await merchant.children(id))[0] ?? '')).toEqual(
    refused('A child product cannot have children.'),
  )
})

test('a product without variations or without children is a standard product again', async () => {
  const size = await merchant.variation('Size', 'S')
  const typeOf = async (id: string) => (await merchant.get(id)).meta.product_types
  const id = await merchant.product({ sku: 'cap' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const [child = ''] = Object.values(await merchant.children(id))
  expect((await world.admin.delete(`/pcm/products/${child}`)).status).toBe(204)
  expect([await typeOf(id), (await merchant.get(id)).meta.variation_matrix]).toEqual([['standard'], {}])

  expect(await merchant.build(id)).toEqual([])
  expect(await typeOf(id)).toEqual(['parent'])
  await merchant.link(id)
  expect([await typeOf(id), await merchant.children(id)]).toEqual([['standard'], {}])
})

test('deleting a product deletes its children and frees its variations', async () => {
  const size = await merchant.variation('Size', 'S')
  const modifier = await merchant.modifier(size.id, size.of.S, { type: 'name_append', value: ' S' })
  const path = `/pcm/variations/${size.id}`
  const modifiers = `${path}/options/${size.of.S}/modifiers/${modifier}`
  const id = await merchant.product({ sku: 'sock' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const refusals = [await world.admin.delete(path), await world.admin.delete(modifiers)]
  expect(refusals.map(({ status, body }) => [status, body.errors[0].title, body.errors[0].detail])).toEqual([
    [422, 'Failed Validation', 'One or more variations are currently in use'],
    [422, 'Failed Validation', 'One or more modifiers are currently in use'],
  ])
  const [child = ''] = Object.values(await merchant.children(id))
  expect((await world.admin.delete(`/pcm/products/${id}`)).status).toBe(204)
  expect((await world.admin.get(`/pcm/products/${child}`)).status).toBe(404)
  expect((await world.admin.delete(modifiers)).status).toBe(204)
  expect((await world.admin.delete(path)).status).toBe(204)
})

test('children have the template values of their parent until they have their own entry', async () => {
  const post = async (path: string, data: object) => {
    const { status, body } = await world.admin.post(path, { data })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data
  }
  const about = {
    type: 'flow',
    name: 'Book',
    description: 'Of books.',
    slug: 'products(book)',
    enabled: true,
  }
  const flow = await post('/v2/flows', about)
  const field = { type: 'field', field_type: 'string', name: 'ISBN', slug: 'isbn', description: 'A number.' }
  const more = {
    required: false,
    enabled: true,
    relationships: { flow: { data: { type: 'flow', id: flow.id } } },
  }
  await post('/v2/fields', { ...field, ...more })
  const path = '/v2/flows/products(book)/entries'
  const binding = await merchant.variation('Binding', 'Cloth', 'Paper')
  const id = await merchant.product({ sku: 'dune' })
  await merchant.link(id, binding.id)
  expect(await merchant.build(id)).toEqual([])
  const { duneCloth = '', dunePaper = '' } = await merchant.children(id)
  await post(path, { type: 'entry', id: dunePaper, isbn: 'p-1' })
  await post(path, { type: 'entry', id, isbn: 'd-1' })
  const before = (await merchant.get(duneCloth)).meta.updated_at
  const isbnOf = async (product: string) => (await world.admin.get(`${path}/${product}`)).body.data?.isbn
  expect(await isbnOf(duneCloth)).toBeUndefined()
  await merchant.option(binding.id, 'Box')
  expect(await merchant.build(id)).toEqual([])
  const { duneBox = '' } = await merchant.children(id)
  expect(await Promise.all([duneCloth, dunePaper, duneBox].map(isbnOf))).toEqual(['d-1', 'p-1', 'd-1'])
  expect((await merchant.get(duneCloth)).meta.updated_at > before).toBe(true)

  // A build does not write a child only because it has its own entry.
  const versions = async () =>
    (await world.sql('SELECT id, version FROM products WHERE parent_id = $1 ORDER BY id', [id])).rows
  const asBuilt = await versions()
  expect(await merchant.build(id)).toEqual([])
  expect(await versions()).toEqual(asBuilt)
})

test('a build removes children from bundles, and the merchant repairs the bundle', async () => {
  const size = await merchant.variation('Size', 'S', 'M')
  const id = await merchant.product({ sku: 'glove' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const { gloveS = '', gloveM = '' } = await merchant.children(id)
  const option = (child: string) => ({ type: 'product', id: child, quantity: 1 })
  const components = { gloves: { name: 'Gloves', options: [option(gloveS), option(gloveM)] } }
  const bundle = await merchant.product({ sku: 'warm', components })
  const inBundle = async () => {
    const { body } = await world.admin.get(`/pcm/products/${bundle}/relationships/component_products`)
    return body.data.map((link: { id: string }) => link.id)
  }
  expect((await inBundle()).sort()).toEqual([gloveS, gloveM].sort())

  expect((await world.admin.delete(`/pcm/variations/${size.id}/options/${size.of.M}`)).status).toBe(204)
  expect(await merchant.build(id)).toEqual([])
  expect(await merchant.children(id)).toEqual({ gloveS })
  expect([await inBundle(), (await merchant.get(bundle)).attributes.components]).toMatchObject([
    [gloveS],
    components,
  ])

  // Other attributes can change as before. Components can change when their products exist.
  await merchant.change(bundle, { description: 'For winter.' })
  const mend = (name: string, ...children: string[]) => {
    const attributes = { components: { gloves: { name, options: children.map(option) } } }
    return world.admin.put(`/pcm/products/${bundle}`, { data: { type: 'product', id: bundle, attributes } })
  }
  const refused = await mend('All gloves', gloveS, gloveM)
  expect([refused.status, refused.body.errors[0].detail]).toEqual([422, `could not find product ${gloveM}`])
  expect((await mend('Gloves', gloveS)).status).toBe(200)
  expect(await inBundle()).toEqual([gloveS])
})

test('a bundle that adds a child while a build removes it can also be repaired', async () => {
  const size = await merchant.variation('Size', 'S', 'M')
  const id = await merchant.product({ sku: 'hood' })
  await merchant.link(id, size.id)
  expect(await merchant.build(id)).toEqual([])
  const { hoodM = '' } = await merchant.children(id)
  const bundle = await merchant.product({ sku: 'hoods' })
  expect((await world.admin.delete(`/pcm/variations/${size.id}/options/${size.of.M}`)).status).toBe(204)
  // Writing a bundle takes this lock.
  const ahead: [string, unknown[]][] = [
    [`SELECT pg_advisory_xact_lock(hashtextextended($1::text || 'bundles', 0))`, [world.storeId]],
    [
      `INSERT INTO product_components (store_id, bundle_id, id, created_at, updated_at, doc)
       VALUES ($1, $2, $3, now(), now(), '{}')`,
      [world.storeId, bundle, hoodM],
    ],
  ]
  expect(await inTheWay(world, ahead, () => merchant.build(id))).toEqual([])
  expect(Object.keys(await merchant.children(id))).toEqual(['hoodS'])
  expect((await world.sql('SELECT 1 FROM product_components WHERE id = $1', [hoodM])).rows).toEqual([])
})
