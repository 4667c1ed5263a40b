import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modifierTypes } from '../../../server/assortment/variations/modifier-types.ts'
import { Merchant } from '../../builders/assortment/variations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let merchant: Merchant
beforeAll(async () => {
  world = await openWorld()
  merchant = new Merchant(world)
})
afterAll(() => world.close())

const at = (id: string, option?: string) =>
  `/pcm/variations/${id}${option === undefined ? '' : `/options/${option}`}`
const put = (path: string, type: string, attributes: object) =>
  world.admin.put(path, { data: { type, id: path.split('/').at(-1), attributes } })

test('a variation shows its options, the highest sort order first and then by name', async () => {
  const { id } = await merchant.variation('Size')
  expect((await world.admin.get(at(id))).body.data.meta).toMatchObject({ owner: 'store', options: [] })
  const [m, s] = [
    await merchant.option(id, 'M'),
    await merchant.option(id, 'A', { description: 'The smallest' }),
  ]
  const l = await merchant.option(id, 'L', { sort_order: -1 })
  const xl = await merchant.option(id, 'XL', { sort_order: 7 })
  const shown = async () => (await world.admin.get(at(id))).body.data.meta.options as { id: string }[]
  expect((await shown()).map((option) => option.id)).toEqual([xl, l, s, m])
  const { attributes, meta } = (await world.admin.get(at(id, s))).body.data
  const { created_at, updated_at } = meta
  expect((await shown())[2]).toEqual({ id: s, ...attributes, created_at, updated_at })

  const etag = (await world.admin.get(at(id))).headers.get('etag')
  expect((await put(at(id, l), 'product-variation-option', { name: 'Large' })).status).toBe(200)
  expect((await world.admin.get(at(id))).headers.get('etag')).not.toBe(etag)
  expect((await shown()).map((option) => option.id)).toEqual([xl, s, l, m])
  expect((await world.admin.delete(at(id, s))).status).toBe(204)
  expect((await shown()).map((option) => option.id)).toEqual([xl, l, m])
})

test('a variation shows all of many options that are added at once', async () => {
  const { id } = await merchant.variation('Colour')
  const names = Array.from({ length: 12 }, (_, i) => `c${i}`)
  await Promise.all(names.map((name) => merchant.option(id, name)))
  const { options } = (await world.admin.get(at(id))).body.data.meta
  expect(options.map(({ name }: { name: string }) => name)).toEqual(names.toSorted())
})

test('null, and an update of other attributes without it, clear the sort order', async () => {
  const { id } = await merchant.variation('Size', 'S')
  for (const type of ['product-variation', 'product-variation-option']) {
    const path = type === 'product-variation' ? at(id) : `${at(id)}/options/${(await optionsOf(id))[0]}`
    const orderAfter = async (attributes: object) =>
      (await put(path, type, attributes)).body.data.attributes.sort_order
    expect(await orderAfter({ sort_order: 3 })).toBe(3)
    expect(await orderAfter({})).toBe(3)
    expect(await orderAfter({ name: 'X' })).toBeUndefined()
    expect(await orderAfter({ name: 'X', sort_order: 0 })).toBe(0)
    expect(await orderAfter({ sort_order: null })).toBeUndefined()
  }
})

const optionsOf = async (id: string): Promise<string[]> =>
  (await world.admin.get(`${at(id)}/options`)).body.data.map((option: { id: string }) => option.id)

describe('a modifier', () => {
  const types = [
    ...[
      'commodity_type',
      'status',
      'price',
      'name_append',
      'name_prepend',
      'name_equals',
      'sku_append',
      'sku_prepend',
    ],
    ...[
      'sku_equals',
      'sku_builder',
      'slug_append',
      'slug_prepend',
      'slug_equals',
      'slug_builder',
      'description_append',
    ],
    ...[
      'description_prepend',
      'description_equals',
      'custom_inputs_equals',
      'build_rules_equals',
      'locales_equals',
    ],
    ...['upc_ean_equals', 'mpn_equals', 'external_ref_equals'],
  ]

  test('has one of the known types', () => {
    expect([...modifierTypes].sort()).toEqual(types.sort())
  })

  const post = async (attributes: object) => {
    const { id, of } = await merchant.variation('Size', 'S')
    const path = `${at(id, of.S)}/modifiers`
    const { status, body } = await world.admin.post(path, {
      data: { type: 'product-variation-modifier', attributes },
    })
    return { path, status, data: body.data, error: body.errors?.[0] }
  }

  test.for<[object, object]>([
    [
      { type: 'sku_equals', value: 'x', seek: '{X}' },
      { type: 'sku_equals', value: 'x' },
    ],
    [
      { type: 'slug_builder', seek: '{color}', set: 'red', value: 'x' },
      { type: 'slug_builder', seek: '{color}', set: 'red' },
    ],
    [
      { type: 'price', reference_name: 'Large', value: 'x' },
      { type: 'price', reference_name: 'Large' },
    ],
    [
      { type: 'status', value: 'live' },
      { type: 'status', value: 'live' },
    ],
    [
      { type: 'locales_equals', value: '{"fr-FR":{"name":"Un"}}' },
      { type: 'locales_equals', value: '{"fr-FR":{"name":"Un"}}' },
    ],
  ])('keeps only the members that its type uses: %j', async ([sent, stored]) => {
    const { status, data } = await post(sent)
    expect([status, data]).toEqual([
      201,
      {
        ...{ type: 'product-variation-modifier', id: data.id, attributes: stored },
        meta: { owner: 'store', created_at: data.meta.created_at, updated_at: data.meta.updated_at },
      },
    ])
  })

  test.for<[object, string]>([
    [{ type: 'sku_append' }, 'value'],
    [{ type: 'sku_append', value: '' }, 'value'],
    [{ type: 'sku_builder', set: 'x' }, 'seek'],
    [{ type: 'slug_builder', seek: '{X}' }, 'set'],
    [{ type: 'price', value: 'x' }, 'reference_name'],
    [{ type: 'slug_append', value: 'very large' }, 'value'],
    [{ type: 'slug_prepend', value: '{X}' }, 'value'],
    [{ type: 'slug_builder', seek: '{X}', set: 'é' }, 'set'],
    [{ type: 'slug_builder', seek: '[X]', set: 'e' }, 'seek'],
    [{ type: 'status', value: 'published' }, 'value'],
    [{ type: 'commodity_type', value: 'gas' }, 'value'],
    [{ type: 'custom_inputs_equals', value: 'front' }, 'value'],
    [{ type: 'build_rules_equals', value: '{"default":"some"}' }, 'value'],
  ])('is refused where it could do nothing: %j', async ([attributes, member]) => {
    const { status, error } = await post(attributes)
    expect([status, error.title, error.source]).toEqual([
      422,
      'Failed Validation',
      `data.attributes.${member}`,
    ])
  })

  test('also has the type modifier', async () => {
    const { id, of } = await merchant.variation('Shape', 'Round')
    const data = { type: 'modifier', attributes: { type: 'sku_append', value: '-r' } }
    const { status, body } = await world.admin.post(`${at(id, of.Round)}/modifiers`, { data })
    expect([status, body.data?.type]).toEqual([201, 'product-variation-modifier'])
  })

  test('is unique by its type in an option', async () => {
    const { path } = await post({ type: 'sku_append', value: 'x' })
    const twice = {
      data: { type: 'product-variation-modifier', attributes: { type: 'sku_append', value: 'y' } },
    }
    const { status, body } = await world.admin.post(path, twice)
    expect([status, body.errors[0].source]).toEqual([422, 'data.attributes.type'])
  })
})

test('a product keeps and shows the order of its variations', async () => {
  const [one, two, three] = [
    await merchant.variation('One', 'a'),
    await merchant.variation('Two', 'b'),
    await merchant.variation('Three', 'c'),
  ]
  const product = await merchant.product({})
  const path = `/pcm/products/${product}/relationships/variations`
  const link = ({ id }: { id: string }) => ({ type: 'product-variation', id })
  const linked = async () => {
    const { data } = (await world.admin.get(path)).body
    const shown = (await merchant.get(product)).meta.variations ?? []
    expect(shown.map(({ id }: { id: string }) => id)).toEqual(data.map(({ id }: { id: string }) => id))
    return data
  }
  expect((await world.admin.post(path, { data: [link(three), link(one)] })).status).toBe(204)
  expect((await world.admin.post(path, { data: [link(two), link(three)] })).status).toBe(204)
  expect(await linked()).toEqual([link(three), link(one), link(two)])
  expect((await world.admin.put(path, { data: [link(two), link(three)] })).status).toBe(204)
  expect(await linked()).toEqual([link(two), link(three)])
  const { body } = await world.admin.delete(at(two.id))
  expect(body.errors[0].detail).toBe('One or more variations are currently in use')
  const remove = {
    body: JSON.stringify({ data: [link(two)] }),
    headers: { 'content-type': 'application/json' },
  }
  expect((await world.admin.send('DELETE', path, remove)).status).toBe(204)
  expect(await linked()).toEqual([link(three)])
  expect((await world.admin.delete(at(two.id))).status).toBe(204)
})

test('a variation is either linked or deleted, never both', async () => {
  for (let round = 0; round < 8; round++) {
    const [variation, product] = [await merchant.variation('Racing', 'a'), await merchant.product({})]
    const path = `/pcm/products/${product}/relationships/variations`
    const data = [{ type: 'product-variation', id: variation.id }]
    const [linked, deleted] = await Promise.all([
      world.admin.post(path, { data }),
      world.admin.delete(at(variation.id)),
    ])
    expect([
      [204, 422],
      [404, 204],
    ]).toContainEqual([linked.status, deleted.status])
    const there = (await world.admin.get(path)).body.data
    expect(there).toEqual(linked.status === 204 ? data : [])
  }
})
