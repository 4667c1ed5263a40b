import { afterAll, beforeAll, expect, test } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
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

test('names and order of variations and options are current with each release, without a build', async () => {
  const merchant = new Merchant(world)
  const size = await merchant.variation('Size', 'S', 'M', 'L')
  const fit = await merchant.variation('Fit', 'Slim')
  const shirt = await shop.product()
  await merchant.link(shirt, size.id, fit.id)
  expect(await merchant.build(shirt)).toEqual([])
  for (const { id } of (await shop.get(`/pcm/products/${shirt}/children`)).data) {
    await shop.change(id, { status: 'live' })
  }
  const { hierarchy, node } = await store.shelf()
  await shop.put(hierarchy, node, shirt)
  const catalog = await shop.catalog([hierarchy])
  await store.lead(catalog, 'variations')
  const shown = async () => {
    await shop.publish(catalog)
    const { data } = await store.read('variations', `/catalog/products/${shirt}`)
    return data.meta.variations.map(({ name, sort_order, options }: Any) => ({
      name,
      sort_order,
      options: options.map((option: Any) => [option.name, option.sort_order]),
    }))
  }
  const change = (path: string, type: string, id: string, attributes: object) =>
    shop.send('PUT', `${path}/${id}`, { type, id, attributes }, 200)
  const changeOption = (name: 'S' | 'M' | 'L', attributes: object) =>
    change(
      `/pcm/variations/${size.id}/options`,
      'product-variation-option',
      size.of[name] as string,
      attributes,
    )
  const sizes = { name: 'Size', sort_order: undefined }
  const fits = { name: 'Fit', sort_order: undefined, options: [['Slim', undefined]] }
  // By name, whatever their order was when they were linked.
  expect(await shown()).toEqual([
    fits,
    {
      ...sizes,
      options: [
        ['L', undefined],
        ['M', undefined],
        ['S', undefined],
      ],
    },
  ])
  await changeOption('S', { sort_order: 9 })
  await changeOption('M', { sort_order: 5 })
  await changeOption('L', { name: 'Large', description: 'Over 40' })
  await change('/pcm/variations', 'product-variation', size.id, { name: 'Measure', sort_order: 1 })
  expect(await shown()).toEqual([
    {
      name: 'Measure',
      sort_order: 1,
      options: [
        ['S', 9],
        ['M', 5],
        ['Large', undefined],
      ],
    },
    fits,
  ])
  const { data } = await store.read('variations', `/catalog/products/${shirt}/relationships/children`)
  const small = data.find(({ meta }: Any) => meta.child_option_ids.includes(size.of.S))
  expect(small.meta.child_variations[0]).toEqual({
    id: size.id,
    name: 'Measure',
    sort_order: 1,
    option: { id: size.of.S, name: 'S', sort_order: 9 },
  })
  // One that is new is not offered before there are children of it.
  await shop.send(
    'POST',
    `/pcm/variations/${size.id}/options`,
    { type: 'product-variation-option', attributes: { name: 'XL', description: 'Over 45' } },
    201,
  )
  expect((await shown())[0].options).toEqual([
    ['S', 9],
    ['M', 5],
    ['Large', undefined],
  ])
})
