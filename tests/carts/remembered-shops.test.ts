import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../builders/shop/publishing.ts'
import { storeOf } from '../builders/shop/storefront.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

/**
 * A process remembers the shop of a store, with its products and prices, by the state of the store. The storefront
 * reads them anew at each request: a new line has its name and its price after each change.
 */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

let carts = 0

/** The name and the price of a product, as a shopper puts it into a new cart, and as the storefront shows it. */
async function bothOf(id: string) {
  const cart = `/v2/carts/remembered-${++carts}`
  const added = await world.admin.post(`${cart}/items`, { data: { type: 'cart_item', id, quantity: 1 } })
  const shown = await world.admin.get(`/catalog/products/${id}`)
  const line = (added.body.data as Any)?.[0]
  const product = shown.body.data as Any
  return {
    inCart: line && [line.name, line.unit_price.amount],
    inShop: product && [product.attributes.name, product.meta.display_price.without_tax.amount],
  }
}

test('a new line is as the storefront shows it, after each change of what is published', async () => {
  const shop = shopOf(world)
  const store = storeOf(world, shop)
  const { hierarchy, node } = await store.shelf()
  const id = await shop.product({ sku: 'LOAF', name: 'Loaf' })
  await shop.put(hierarchy, node, id)
  const [retail, vip] = [await store.pricebook(), await store.pricebook()]
  const price = await store.dollars(retail, 'LOAF', 500)
  await store.dollars(vip, 'LOAF', 400)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: retail, enable_price_segmentation: true })
  await shop.publish(catalog)

  const expectBoth = async (name: string, amount: number) => {
    // The second request has what the first one remembers.
    for (const _ of [1, 2]) {
      expect(await bothOf(id)).toEqual({ inCart: [name, amount], inShop: [name, amount] })
    }
  }
  await expectBoth('Loaf', 500)

  const at = `/pcm/pricebooks/${retail}/prices/${price.id}`
  const attributes = { sku: 'LOAF', currencies: { USD: { amount: 700, includes_tax: false } } }
  await shop.send('PUT', at, { type: 'product-price', id: price.id, attributes }, 200)
  await shop.change(id, { name: 'Rye loaf' })
  await expectBoth('Loaf', 500)
  const second = await shop.publish(catalog)
  await expectBoth('Rye loaf', 700)

  // A rule with a price book that the release does not have yet: its prices are added to the same release.
  const rule = { name: 'For all', catalog_id: catalog, pricebook_ids: [{ id: vip, priority: 1 }] }
  const { id: ruleId } = await shop.send(
    'POST',
    '/catalogs/rules',
    { type: 'catalog_rule', attributes: rule },
    201,
  )
  await expect.poll(async () => (await bothOf(id)).inShop, { timeout: 20_000 }).toEqual(['Rye loaf', 400])
  await expectBoth('Rye loaf', 400)
  await shop.send('DELETE', `/catalogs/rules/${ruleId}`, undefined, 204)
  await expectBoth('Rye loaf', 700)

  // The release before is the current one again.
  await shop.send('DELETE', `/catalogs/${catalog}/releases/${second.id}`, undefined, 204)
  await expectBoth('Loaf', 500)
})
