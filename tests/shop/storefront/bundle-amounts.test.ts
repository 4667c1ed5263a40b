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

test('a bundle whose price is too large has none, and is listed with the others', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const gold = await shop.product({ sku: 'gold' })
  const options = [{ id: gold, type: 'product', quantity: Number.MAX_SAFE_INTEGER, default: true }]
  const vault = await shop.product({ sku: 'vault', components: { gold: { name: 'Gold', options } } })
  await shop.put(hierarchy, node, gold, vault)
  await store.dollars(book, 'gold', 1_000_000_000_000)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'vault')
  const { data } = await store.read('vault', '/catalog/products')
  const shown = data.map(({ id, attributes }: Any) => [id, attributes.price?.USD.amount])
  expect(new Map(shown)).toEqual(
    new Map([
      [vault, undefined],
      [gold, 1_000_000_000_000],
    ]),
  )
})
