import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an item shows the main image of its product, which everyone may read', async () => {
  const shop = shopOf(world)
  const form = new FormData()
  form.append('file', new Blob(['a picture'], { type: 'image/png' }), 'mug.png')
  const uploaded = await world.admin.send('POST', '/v2/files', { body: form })
  const file = uploaded.body.data
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const [mug, plate] = [await shop.product({ sku: 'MUG' }), await shop.product({ sku: 'PLATE' })]
  const image = `/pcm/products/${mug}/relationships/main_image`
  await shop.send('POST', image, { type: 'file', id: file.id }, 204)
  await shop.put(hierarchy, node, mug, plate)
  const attributes = { name: 'Prices' }
  const book = (await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes }, 201)).id
  for (const sku of ['MUG', 'PLATE']) {
    const currencies = { USD: { amount: 700, includes_tax: false } }
    const price = { type: 'product-price', attributes: { sku, currencies } }
    await shop.send('POST', `/pcm/pricebooks/${book}/prices`, price, 201)
  }
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)

  const path = '/v2/carts/pictured/items'
  const data = [mug, plate].map((id) => ({ type: 'cart_item', id, quantity: 1 }))
  const added = await world.shopper.post(path, { data })
  const shown = { mime_type: 'image/png', file_name: 'mug.png', href: file.link.href }
  const none = { mime_type: '', file_name: '', href: '' }
  const imagesIn = (body: typeof added.body) => body.data.map((one: { image: object }) => one.image)
  expect(imagesIn(added.body)).toEqual([shown, none])
  expect(imagesIn((await world.shopper.get(path)).body)).toEqual([shown, none])
  expect((await fetch(shown.href)).status).toBe(200)

  await shop.send('DELETE', image, { type: 'file', id: file.id }, 204)
  await shop.publish(catalog)
  expect(imagesIn((await world.shopper.get(path)).body)).toEqual([none, none])
})
