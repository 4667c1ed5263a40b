import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetEditions } from '../../../server/shop/publishing/forget-editions.ts'
import { deltaOf } from '../../builders/shop/deltas.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

test('the delta of a release has its changes, and that of the first release all products', async () => {
  const [book, another] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const [one, two, three] = [
    await shop.product({ sku: 'd-1' }),
    await shop.product({ sku: 'd-2' }),
    await shop.product({ sku: 'd-3' }),
  ]
  await shop.put(hierarchy, node, one, two, three)
  await store.dollars(book, 'd-1', 10)
  const books = (...ids: string[]) => ({ pricebook_ids: ids.map((id, priority) => ({ id, priority })) })
  const catalog = await shop.catalog([hierarchy], books(book))
  const brief = async (release: Any) =>
    (await deltaOf(release)).map(({ delta_type, id }: Any) => [delta_type, id]).sort()

  const first = await shop.publish(catalog)
  const all = await deltaOf(first)
  expect(first.meta).toMatchObject({ is_full_publish: true, is_full_delta: true })
  expect(all.map(({ delta_type, type, id }) => [delta_type, type, id]).sort()).toEqual(
    [one, two, three].map((id) => ['createupdate', 'product', id]).sort(),
  )
  expect(all.find(({ id }) => id === one)).toMatchObject({
    attributes: { sku: 'd-1', price: { USD: { amount: 10 } } },
    meta: { catalog_id: catalog, pricebook_id: book },
  })

  await shop.change(one, { name: 'Another name' })
  await shop.change(two, { status: 'draft' })
  const second = await shop.publish(catalog)
  expect(second.meta).toMatchObject({ is_full_publish: false, is_full_delta: false })
  expect(await brief(second)).toEqual([
    ['createupdate', one],
    ['delete', two],
  ])

  await shop.send(
    'PUT',
    `/catalogs/${catalog}`,
    { type: 'catalog', id: catalog, attributes: books(book, another) },
    200,
  )
  await store.dollars(another, 'd-3', 3)
  const third = await shop.publish(catalog)
  expect(third.meta).toMatchObject({ is_full_publish: true, is_full_delta: false })
  expect(await brief(third)).toEqual([['createupdate', three]])

  const again = await shop.publish(catalog, { type: 'catalog-release', export_full_delta: true })
  expect(again.meta.is_full_delta).toBe(true)
  expect(await brief(again)).toEqual([one, three].sort().map((id) => ['createupdate', id]))
})

test('the delta of the oldest kept release has the products that it removed', async () => {
  const { hierarchy, node } = await store.shelf()
  const [stays, goes] = [await shop.product(), await shop.product()]
  await shop.put(hierarchy, node, stays, goes)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await shop.change(goes, { status: 'draft' })
  const { id } = await shop.publish(catalog)
  for (const name of ['third', 'fourth']) {
    await shop.change(stays, { name })
    await shop.publish(catalog)
  }
  await world.sql('UPDATE catalog_editions SET published_at = $1', [new Date(Date.now() - 3_600_000)])
  await forgetEditions.run(world.server.instance)
  const editions = await world.sql('SELECT edition FROM catalog_editions WHERE catalog_id = $1 ORDER BY 1', [
    catalog,
  ])
  expect(editions.rows.map(({ edition }) => edition)).toEqual([2, 3, 4])
  const oldest = (await shop.get(`/catalogs/${catalog}/releases/${id}`)).data
  const entries = (await deltaOf(oldest)).map(({ delta_type, id }: Any) => [delta_type, id])
  expect(entries).toEqual([['delete', goes]])
})

test('a delta has products whose price changed, for any reason', async () => {
  const [book, another] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  const alone = await shop.product({ sku: 'alone' })
  const option = await shop.product({ sku: 'option' })
  const bundle = await shop.product({
    sku: 'bundle',
    components: {
      one: { name: 'One', options: [{ id: option, type: 'product', quantity: 1, default: true }] },
    },
  })
  await shop.put(hierarchy, node, parent.id, alone, bundle)
  await store.dollars(book, parent.sku, 100)
  const price = await store.dollars(book, 'option', 10)
  const modifier = (amount: number) => ({
    name: 'PriceL',
    modifier_type: 'price_increment',
    currencies: { USD: { amount } },
  })
  const { id } = await store.modifier(book, modifier(5))
  const books = (...ids: string[]) => ({ pricebook_ids: ids.map((id, priority) => ({ id, priority })) })
  const catalog = await shop.catalog([hierarchy], books(another, book))
  await shop.publish(catalog)
  const changedIds = async () => (await deltaOf(await shop.publish(catalog))).map(({ id }) => id).sort()
  expect(await changedIds()).toEqual([])

  const path = `/pcm/pricebooks/${book}`
  await shop.send(
    'PUT',
    `${path}/modifiers/${id}`,
    { type: 'price-modifier', id, attributes: modifier(6) },
    200,
  )
  expect(await changedIds()).toEqual([child.id])

  const dearer = { sku: 'option', currencies: { USD: { amount: 11 } } }
  const data = { type: 'product-price', id: price.id, attributes: dearer }
  await shop.send('PUT', `${path}/prices/${price.id}`, data, 200)
  expect(await changedIds()).toEqual([bundle])

  const swapped = { type: 'catalog', id: catalog, attributes: books(book, another) }
  await shop.send('PUT', `/catalogs/${catalog}`, swapped, 200)
  expect(await changedIds()).toEqual([parent.id, child.id, alone, bundle].sort())
})

test('a forged or expired link is refused', async () => {
  const catalog = await shop.catalog([await shop.hierarchy()])
  const release = await shop.publish(catalog)
  const url = new URL(release.relationships.delta.links.related)
  const status = async (change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return (await fetch(other)).status
  }
  expect(await status(() => {})).toBe(200)
  expect(await status((other) => other.searchParams.set('until', '9999999999999'))).toBe(403)
  expect(await status((other) => other.searchParams.delete('signature'))).toBe(403)
  expect(await status((other) => (other.pathname = other.pathname.replace(release.id, catalog)))).toBe(403)
})
