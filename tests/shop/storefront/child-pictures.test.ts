import { afterAll, beforeAll, expect, test } from 'vitest'
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

const file = async (name: string): Promise<string> => {
  const form = new FormData()
  form.append('file_location', `https://files.example/${name}`)
  const { status, body } = await world.admin.send('POST', '/v2/files', { body: form })
  expect(status).toBe(201)
  return body.data.id
}
const link = async (product: string, name: 'main_image' | 'files', id: string) => {
  const data = { type: 'file', id }
  const path = `/pcm/products/${product}/relationships/${name}`
  const { status } = await world.admin.post(path, { data: name === 'files' ? [data] : data })
  expect(status).toBeLessThan(300)
}

test('a child without pictures shows those of its parent, in the shop and in carts, until it has its own', async () => {
  const [front, back, manual, red] = [
    await file('front.png'),
    await file('back.png'),
    await file('manual.pdf'),
    await file('red.png'),
  ]
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  await shop.put(hierarchy, node, parent.id)
  await store.dollars(book, parent.sku, 100)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'shirts')
  const headers = { 'ep-channel': 'shirts' }
  const cart = '/v2/carts/shirts/items'
  await world.shopper.post(cart, { data: { type: 'cart_item', id: child.id, quantity: 1 } }, headers)

  /** What the child shows: its main image and files, those that come with it, and its image in the cart. */
  const pictures = async () => {
    await shop.publish(catalog)
    const path = `/catalog/products/${child.id}?include=main_image,files`
    const { data, included }: Any = await store.read('shirts', path)
    const [line] = (await world.shopper.get(cart)).body.data
    const ids = (all: Any[]) => all.map(({ id }) => id)
    return {
      main: data.relationships.main_image?.data.id,
      files: ids(data.relationships.files.data),
      included: [ids(included.main_images), ids(included.files).sort()],
      inCart: line.image.href.split('/').at(-1),
    }
  }
  const none = { main: undefined, files: [], included: [[], []], inCart: '' }
  expect(await pictures()).toEqual(none)
  await link(parent.id, 'main_image', front)
  await link(parent.id, 'files', back)
  expect(await pictures()).toEqual({
    ...{ main: front, files: [back], included: [[front], [back]], inCart: 'front.png' },
  })
  await link(child.id, 'files', manual)
  expect(await pictures()).toMatchObject({ main: front, files: [manual], inCart: 'front.png' })
  await link(child.id, 'main_image', red)
  expect(await pictures()).toMatchObject({ main: red, files: [manual], inCart: 'red.png' })
  const { status } = await world.admin.send('DELETE', `/pcm/products/${child.id}/relationships/files`, {
    body: JSON.stringify({ data: [{ type: 'file', id: manual }] }),
  })
  expect(status).toBe(204)
  expect(await pictures()).toMatchObject({ main: red, files: [], inCart: 'red.png' })
  expect((await shop.get(`/pcm/products/${child.id}`)).data.relationships.main_image.data.id).toBe(red)
})
