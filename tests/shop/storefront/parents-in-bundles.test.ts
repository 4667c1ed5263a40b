import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
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

test('a bundle that offers a parent says so, and is bought with a child of it', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  const other = await store.shirt()
  const [tie] = [await shop.product({ sku: 'tie' })]
  const option = (id: string) => ({ id, type: 'product', quantity: 1 })
  const bundle = await shop.product({
    sku: 'suit',
    components: {
      shirt: { name: 'Shirt', min: 1, max: 1, options: [option(parent.id)] },
      tie: { name: 'Tie', options: [option(tie)] },
    },
  })
  await shop.put(hierarchy, node, parent.id, other.parent.id, bundle)
  await store.dollars(book, parent.sku, 100)
  await store.dollars(book, child.sku, 120)
  await store.dollars(book, 'tie', 10)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'suits')
  const { data } = await store.read('suits', `/catalog/products/${bundle}`)
  const optionsOf = (component: string) => data.attributes.components[component].options
  expect(optionsOf('shirt')).toEqual([
    { ...option(parent.id), product_should_be_substituted_with_child: true },
  ])
  expect(optionsOf('tie')).toEqual([option(tie)])
  const configure = (selected_options: object) =>
    world.shopper.post(
      `/catalog/products/${bundle}/configure`,
      { data: { selected_options } },
      { 'ep-channel': 'suits' },
    )
  const { status, body } = await configure({ shirt: { [child.id]: 1 }, tie: { [tie]: 1 } })
  expect([status, body.data.attributes.price.USD.amount]).toEqual([200, 130])
  expect(Object.keys(body.data.meta.component_product_data).sort()).toEqual([child.id, tie].sort())
  const details = []
  for (const shirt of [{ [other.child.id]: 1 }, { [child.id]: 2 }, { [tie]: 1 }]) {
    const refused = await configure({ shirt })
    details.push([refused.status, refused.body.errors[0].detail])
  }
  expect(details).toEqual([
    [422, `No option ${other.child.id} for component shirt`],
    [422, `No option 2 for option ${child.id}`],
    [422, `No option ${tie} for component shirt`],
  ])
})

test('a child of a parent that is only an option can be selected, and neither is listed', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  const shirt = { name: 'Shirt', options: [{ id: parent.id, type: 'product', quantity: 1 }] }
  const bundle = await shop.product({ components: { shirt } })
  await shop.put(hierarchy, node, bundle)
  await store.dollars(book, parent.sku, 100)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'sets')
  const headers = { 'ep-channel': 'sets' }
  const choose = () =>
    world.shopper.post(
      `/catalog/products/${bundle}/configure`,
      { data: { selected_options: { shirt: { [child.id]: 1 } } } },
      headers,
    )
  const { status, body } = await choose()
  expect([status, body.data.attributes.price.USD.amount]).toEqual([200, 100])
  const listed = await store.read('sets', '/catalog/products')
  expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([bundle])
  await shop.change(parent.id, { status: 'draft' })
  await shop.publish(catalog)
  expect((await choose()).status).toBe(422)
})
