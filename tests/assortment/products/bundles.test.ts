import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFault } from '../../../server/assortment/product-fields/bundle-rules.ts'
import type { Components } from '../../../server/assortment/product-fields/product-fields.ts'
import { newProduct, product, put, refusal } from '../../builders/assortment/products.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const at = 'data.attributes.components'
const option = (id: string, more: object = {}) => ({ id, type: 'product', quantity: 1, ...more })
const component = (...ids: string[]) => ({ name: 'Part', options: ids.map((id) => option(id)) })
const typesOf = async (id: string) =>
  (await world.admin.get(`/pcm/products/${id}`)).body.data.meta.product_types
const newBundle = (...ids: string[]) =>
  newProduct(world.admin, { sku: randomUUID(), components: { parts: component(...ids) } })

test('a product with components is a bundle; components change key by key', async () => {
  const [a, b] = [await newProduct(world.admin), await newProduct(world.admin)]
  const bundle = await newProduct(world.admin, { components: { games: component(a.id, b.id) } })
  expect(bundle.meta.product_types).toEqual(['bundle'])
  const path = `/pcm/products/${bundle.id}/relationships/component_products`
  const parts = async () => (await world.admin.get(path)).body.data.map(({ id }: { id: string }) => id).sort()
  expect(await parts()).toEqual([a.id, b.id])
  const more = await put(world.admin, bundle.id, { sku: 'KIT', components: { toys: component(a.id) } })
  expect(Object.keys(more.body.data.attributes.components)).toEqual(['games', 'toys'])
  const fewer = await put(world.admin, bundle.id, { components: { games: null } })
  expect(fewer.body.data.attributes.components).toEqual({ toys: component(a.id) })
  expect(await parts()).toEqual([a.id])
  const { body } = await put(world.admin, bundle.id, { components: { toys: null } })
  expect(body.data.meta.product_types).toEqual(['standard'])
  expect(await parts()).toEqual([])
})

test('the name of a component defaults to its key', async () => {
  const [a, b] = [await newProduct(world.admin), await newProduct(world.admin)]
  const { options } = component(a.id, b.id)
  const bundle = await newProduct(world.admin, { components: { 'Pick one': { options, min: 1, max: 1 } } })
  expect(bundle.attributes.components['Pick one'].name).toBe('Pick one')
  const { body } = await put(world.admin, bundle.id, { components: { more: { options } } })
  const names = Object.values(body.data.attributes.components as Components).map(({ name }) => name)
  expect(names).toEqual(['Pick one', 'more'])
})

test('a product in a bundle cannot be deleted before the bundle', async () => {
  const part = await newProduct(world.admin)
  const bundle = await newBundle(part.id)
  const reply = await world.admin.delete(`/pcm/products/${part.id}`)
  expect(refusal(reply)).toEqual([
    422,
    undefined,
    `The product is an option of the bundle ${bundle.id}. Remove it from there first.`,
  ])
  expect((await world.admin.delete(`/pcm/products/${bundle.id}`)).status).toBe(204)
  expect((await world.admin.delete(`/pcm/products/${part.id}`)).status).toBe(204)
})

test('a component with fewer options than its min is refused, but a stored one can be renamed', async () => {
  const part = await newProduct(world.admin)
  const components = { drinks: { ...component(part.id), min: 2 } }
  const reply = await world.admin.post('/pcm/products', product({ sku: randomUUID(), components }))
  expect(refusal(reply)).toEqual([
    422,
    `${at}.drinks.min`,
    'The component drinks has one option, which is less than its min of 2.',
  ])
  const bundle = await newBundle(part.id)
  // As it was stored before there was the rule.
  await world.sql(
    `UPDATE products SET doc = jsonb_set(doc::jsonb, '{attributes,components,parts,min}', '2')::json
     WHERE store_id = $1 AND id = $2`,
    [world.storeId, bundle.id],
  )
  expect((await put(world.admin, bundle.id, { name: 'Renamed' })).status).toBe(200)
  expect((await put(world.admin, bundle.id, { components: { parts: { min: 3 } } })).status).toBe(422)
})

test('of creating a bundle and deleting its option at the same time, one succeeds', async () => {
  const parts = await Promise.all(Array.from({ length: 8 }, () => newProduct(world.admin)))
  const outcomes = parts.map(async ({ id }) => {
    const [creation, gone] = await Promise.all([
      world.admin.post('/pcm/products', product({ sku: id, components: { parts: component(id) } })),
      world.admin.delete(`/pcm/products/${id}`),
    ])
    return `${creation.status} ${gone.status}`
  })
  for (const outcome of await Promise.all(outcomes)) expect(['201 422', '422 204']).toContain(outcome)
})

test('the options of a bundle exist, and are not the bundle itself', async () => {
  const { id } = await newProduct(world.admin)
  const elsewhere = await newProduct(world.other)
  const nowhere = randomUUID()
  const source = `${at}.parts.options.1.id`
  for (const missing of [nowhere, elsewhere.id]) {
    const components = { parts: component(id, missing) }
    const reply = await world.admin.post('/pcm/products', product({ components }))
    expect(refusal(reply)).toEqual([422, source, `could not find product ${missing}`])
  }
  const other = await newProduct(world.admin)
  const reply = await put(world.admin, id, { components: { parts: component(other.id, id) } })
  expect(refusal(reply)).toEqual([422, source, 'A bundle cannot be an option of itself.'])
})

describe('a bundle in a bundle', () => {
  const deep = [422, at, expect.stringContaining('only one level deep')]
  const refused = async (id: string, part: string) =>
    refusal(await put(world.admin, id, { components: { parts: component(part) } }))

  test('is at most one level deep, and never a circle', async () => {
    const leaf = await newProduct(world.admin, { sku: randomUUID() })
    const inner = await newBundle(leaf.id)
    const outer = await newBundle(inner.id)
    expect(await typesOf(outer.id)).toEqual(['bundle'])
    const third = await newProduct(world.admin, { sku: randomUUID() })
    expect(await refused(third.id, outer.id)).toEqual(deep)
    expect(await refused(leaf.id, third.id)).toEqual(deep)
    expect(await refused(inner.id, outer.id)).toEqual(deep)
    expect(await typesOf(leaf.id)).toEqual(['standard'])
  })

  test('of putting two bundles into each other at the same time, one succeeds', async () => {
    for (let i = 0; i < 5; i++) {
      const [one, other] = await Promise.all([0, 1].map(() => newProduct(world.admin, { sku: randomUUID() })))
      const into = (id: string, part: string) =>
        put(world.admin, id, { components: { parts: component(part) } })
      const replies = await Promise.all([into(one.id, other.id), into(other.id, one.id)])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
    }
  })
})

describe('faults of components', () => {
  const ids = ['a', 'b', 'c']
  const parts = (options: object[], more: object = {}) => ({ parts: { name: 'Part', options, ...more } })

  test.for<[what: string, components: object, path: string | undefined, hasSku?: boolean]>([
    ['nothing', parts([option('a')]), undefined],
    ['an option is missing', parts([]), 'parts.options'],
    ['a product twice', parts([option('a'), option('b'), option('a')]), 'parts.options.2.id'],
    ['min alone', parts([option('a', { min: 1 })]), 'parts.options.0'],
    ['max alone', parts([option('a', { max: 1, min: null })]), 'parts.options.0'],
    ['max below min', parts([option('a', { min: 3, max: 2 })]), 'parts.options.0.max'],
    ['max is min', parts([option('a', { min: 2, max: 2 })]), undefined],
    ['max of the component below its min', parts([option('a')], { min: 2, max: 1 }), 'parts.max'],
    ['fewer options than its min', parts([option('a')], { min: 2 }), 'parts.min'],
    ['as many options as its min', parts([option('a'), option('b')], { min: 2 }), undefined],
    [
      'more defaults than max',
      parts([option('a', { default: true }), option('b', { default: true })], { max: 1 }),
      'parts.options',
    ],
    ['one product without a SKU', parts([option('a')]), '', false],
    ['two of one without a SKU', parts([option('a', { quantity: 2 })]), undefined, false],
    ['two products without a SKU', parts([option('a'), option('b')]), undefined, false],
    ['1,500 options', parts(Array.from({ length: 1500 }, (_, i) => option(`p${i}`))), undefined],
    [
      '1,501 options',
      { ...parts(Array.from({ length: 1500 }, (_, i) => option(`p${i}`))), more: component('x') },
      '',
    ],
  ])('%s', ([, components, path, hasSku = true]) => {
    expect(findFault(components as Components, hasSku)?.path).toBe(path)
  })

  const amount = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
  const anyOption = fc.record({
    id: fc.constantFrom(...ids),
    type: fc.constant('product' as const),
    quantity: fc.integer({ min: 1, max: 2 }),
    min: amount,
    max: amount,
    default: fc.option(fc.boolean(), { nil: undefined }),
  })
  const anyComponents = fc.dictionary(
    fc.constantFrom('one', 'two'),
    fc.record({
      name: fc.constant('Part'),
      options: fc.array(anyOption, { maxLength: 3 }),
      min: amount,
      max: amount,
    }),
  )

  test('are found if and only if a rule is broken', () => {
    fc.assert(
      fc.property(anyComponents, fc.boolean(), (components, hasSku) => {
        const all = Object.values(components)
        const options = all.flatMap((one) => one.options)
        const rules = [
          all.every((one) => one.options.length > 0),
          all.every(({ min = 0, max = Infinity }) => min <= max),
          all.every(({ options, min = 0 }) => min <= options.length),
          all.every(({ options, max = Infinity }) => options.filter((one) => one.default).length <= max),
          all.every(({ options }) => new Set(options.map(({ id }) => id)).size === options.length),
          options.every(({ min, max }) => (min === undefined) === (max === undefined)),
          options.every(({ min = 0, max = Infinity }) => min <= max),
          hasSku || all.length === 0 || options.reduce((sum, one) => sum + one.quantity, 0) >= 2,
        ]
        expect(findFault(components as unknown as Components, hasSku) === undefined).toBe(
          rules.every(Boolean),
        )
      }),
      { numRuns: tries(1000, 5000) },
    )
  })
})
