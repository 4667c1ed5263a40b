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

/** Retail sells bread (on sale, with tiers), butter, and both as a bundle; VIP has other prices of bread and jam. */
async function twoPriceLists(enable_price_segmentation: boolean) {
  const [retail, vip] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const [bread, butter, jam] = [await shop.product(), await shop.product(), await shop.product()]
  const option = (id: string) => ({ id, type: 'product', quantity: 1, default: true })
  const components = { all: { name: 'All', options: [option(bread), option(butter)] } }
  const breakfast = await shop.product({ components })
  await shop.put(hierarchy, node, bread, butter, jam, breakfast)
  const skuOf = async (id: string): Promise<string> =>
    (await shop.get(`/pcm/products/${id}`)).data.attributes.sku
  await store.price(retail, await skuOf(bread), {
    currencies: { USD: { amount: 500, tiers: { many: { minimum_quantity: 10, amount: 450 } } } },
    sales: {
      Spring: {
        currencies: { USD: { amount: 400, tiers: { many: { minimum_quantity: 10, amount: 350 } } } },
      },
    },
    shopper_attributes: { baked: 'daily' },
  })
  await store.dollars(retail, await skuOf(butter), 300)
  await store.dollars(vip, await skuOf(bread), 200)
  await store.dollars(vip, await skuOf(butter), 100)
  await store.dollars(vip, await skuOf(jam), 50)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: retail, enable_price_segmentation })
  await store.lead(catalog, `${catalog}-plain`)
  await store.lead(catalog, `${catalog}-vip`, { pricebook_ids: [{ id: vip, priority: 1 }] })
  await shop.publish(catalog)
  const readAs = async (who: string, id: string, headers = {}): Promise<Any> =>
    (await store.read(`${catalog}-${who}`, `/catalog/products/${id}`, headers)).data
  return { catalog, retail, vip, bread, butter, jam, breakfast, readAs }
}

test('shoppers with price books of a rule see the list price too', async () => {
  const { retail, vip, bread, jam, readAs } = await twoPriceLists(true)
  const [plain, own] = [await readAs('plain', bread), await readAs('vip', bread)]
  expect(plain.meta).not.toHaveProperty('alternative_prices')
  expect([own.meta.pricebook_id, own.attributes.price.USD.amount]).toEqual([vip, 200])
  const { price, tiers, shopper_attributes } = plain.attributes
  const { display_price, original_price, original_display_price, sale_id } = plain.meta
  const tier = plain.meta.tiers.many
  expect(own.meta.alternative_prices).toEqual([
    {
      name: 'List Price',
      pricebook_id: retail,
      ...{ price, display_price, original_price, original_display_price, sale_id, shopper_attributes },
      tiers: {
        many: {
          price: tiers.many.price,
          display_price: tier.display_price,
          original_price: tier.original_price,
          original_display_price: tier.original_display_price,
        },
      },
    },
  ])
  expect([price.USD.amount, original_price.USD.amount, tier.original_price.USD.amount]).toEqual([
    400, 500, 450,
  ])
  expect(own.attributes).not.toHaveProperty('shopper_attributes')
  expect((await readAs('vip', jam)).meta).not.toHaveProperty('alternative_prices')
})

test('a bundle and its selected options have list prices too', async () => {
  const { retail, bread, butter, breakfast, readAs } = await twoPriceLists(true)
  const { attributes, meta } = await readAs('vip', breakfast)
  expect([attributes.price.USD.amount, meta.component_products[butter].price.USD.amount]).toEqual([300, 100])
  const [list] = meta.alternative_prices
  expect([list.name, list.price.USD.amount, list.original_price.USD.amount]).toEqual(['List Price', 700, 800])
  const [ofBread] = meta.component_products[bread].alternative_prices
  expect([ofBread.pricebook_id, ofBread.price.USD.amount]).toEqual([retail, 400])
})

test('merchants can preview list prices; catalogs without price segmentation have none', async () => {
  const { catalog, vip, bread } = await twoPriceLists(true)
  const path = `/catalogs/${catalog}/releases/latest/products/${bread}`
  const header = 'EP-Pricebook-IDs-For-Price-Segmentation-Preview'
  const { body } = await world.admin.get(path, { [header]: vip })
  expect(body.data.meta.alternative_prices[0].price.USD.amount).toBe(400)
  expect((await shop.get(path)).data.meta).not.toHaveProperty('alternative_prices')
  const without = await twoPriceLists(false)
  expect((await without.readAs('vip', without.bread)).meta).not.toHaveProperty('alternative_prices')
})
