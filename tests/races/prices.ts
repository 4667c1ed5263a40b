import { shopOf } from '../builders/shop/publishing.ts'
import type { Reply } from '../support/client.ts'
import type { Arena } from './arena.ts'

/** Sets the price of a product, and publishes it. Returns a read of its release. */
export async function priceOf({ world }: Arena, sku: string, amount: number): Promise<Reply> {
  const shop = shopOf(world)
  const [book] = (await shop.get('/pcm/pricebooks')).data
  const prices = `/pcm/pricebooks/${book.id}/prices`
  const { data } = await shop.get(`${prices}?filter=eq(sku,${sku})`)
  const [price] = data
  const attributes = { sku, currencies: { USD: { amount, includes_tax: false } } }
  await shop.send('PUT', `${prices}/${price.id}`, { type: 'product-price', id: price.id, attributes }, 200)
  const [catalog] = (await shop.get('/catalogs')).data
  const { id } = await shop.publish(catalog.id)
  return world.admin.get(`/catalogs/${catalog.id}/releases/${id}`)
}
