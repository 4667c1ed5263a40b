import type { World } from '../../support/world.ts'
import { shopOf } from '../shop/publishing.ts'
import { storeOf } from '../shop/storefront.ts'

/** A bundle as large as one may be. */
export interface LargeBundle {
  readonly id: string
  /** The options of its default selection. */
  readonly options: number
  /** So many of its options, each so many times. */
  select(options: number, times?: number): Readonly<Record<string, Readonly<Record<string, number>>>>
}

const [products, components] = [30, 50]

/** Publishes a bundle whose default selection has 1,500 options. */
export async function openLargeBundle(world: World): Promise<LargeBundle> {
  const shop = shopOf(world)
  const store = storeOf(world, shop)
  const { hierarchy, node } = await store.shelf()
  const skus = Array.from({ length: products }, (_, i) => `part-${i}`)
  const parts = await Promise.all(skus.map((sku) => shop.product({ sku })))
  const options = parts.map((id) => ({ id, type: 'product', quantity: 1, default: true, min: 1, max: 9 }))
  const keys = Array.from({ length: components }, (_, i) => `c${i}`)
  const id = await shop.product({
    sku: 'large',
    components: Object.fromEntries(keys.map((key) => [key, { name: key, options }])),
  })
  await shop.put(hierarchy, node, ...parts, id)
  const book = await store.pricebook()
  for (const sku of [...skus, 'large']) await store.dollars(book, sku, 100)
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  return {
    id,
    options: products * components,
    select(count, times = 1) {
      const places = keys.flatMap((key) => parts.map((part) => [key, part] as const)).slice(0, count)
      const selection: Record<string, Record<string, number>> = {}
      for (const [key, part] of places) selection[key] = { ...selection[key], [part]: times }
      return selection
    },
  }
}
