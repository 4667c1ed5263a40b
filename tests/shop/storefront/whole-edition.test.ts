import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Store } from '../../../server/kernel/storage/store.ts'
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

/** A catalog of two releases: a name and a price of the first, others of the second. */
async function published(channel: string) {
  const { hierarchy, node } = await store.shelf()
  const book = await store.pricebook()
  const sku = `loaf-${channel}`
  const id = await shop.product({ name: 'at 100', sku, slug: sku })
  await shop.put(hierarchy, node, id)
  const price = await store.dollars(book, sku, 100)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await store.lead(catalog, channel)
  const first = await shop.publish(catalog)
  await shop.change(id, { name: 'at 200' })
  const attributes = { sku, currencies: { USD: { amount: 200 } } }
  const path = `/pcm/pricebooks/${book}/prices/${price.id}`
  await shop.send('PUT', path, { type: 'product-price', id: price.id, attributes }, 200)
  const second = await shop.publish(catalog)
  const release = `/catalogs/${catalog}/releases/${second.id}`
  return { id, node, first, second, release }
}

/** Reads, and just before the server makes this sort of statement the first time, the release is deleted. */
async function deletedBefore<T>(
  of: 'page' | 'findWhole',
  what: string,
  release: string,
  read: () => Promise<T>,
) {
  const original = Store.prototype[of] as (...all: unknown[]) => Promise<unknown>
  let met = false
  const spy = vi.spyOn(Store.prototype, of).mockImplementation(async function (
    this: Store,
    ...all: unknown[]
  ) {
    const isOne = !met && JSON.stringify(all[0]).includes(what)
    met ||= isOne
    if (isOne) await shop.send('DELETE', release, undefined, 204)
    return original.apply(this, all)
  } as never)
  try {
    return await read()
  } finally {
    spy.mockRestore()
    expect(met).toBe(true)
  }
}

const ofPrices = 'FROM published_prices'

test.for([0, 1, 2])(
  'if a release is deleted between reading products and prices, the answer is of the previous one (%i)',
  async (i) => {
    const { id, node, release } = await published(`page-${i}`)
    const paths = [
      '/catalog/products',
      `/catalog/products/${id}`,
      `/catalog/nodes/${node}/relationships/products`,
    ]
    const path = paths[i] as string
    const { data } = await deletedBefore('page', ofPrices, release, () => store.read(`page-${i}`, path))
    const [{ attributes }] = [data].flat()
    expect([attributes.name, attributes.price.USD.amount]).toEqual(['at 100', 100])
  },
)

test('a merchant gets an error if the release is deleted while it is read', async () => {
  const { release } = await published('merchant')
  const read = () => world.admin.get(`${release}/products`)
  expect(await deletedBefore('page', ofPrices, release, read)).toMatchObject({ status: 404 })
})

test('a search shows one release', async () => {
  const { release } = await published('search')
  const body = JSON.stringify({ searches: [{ type: 'search', q: '*' }] })
  const headers = { 'ep-channel': 'search' }
  const search = () => world.shopper.send('POST', '/catalog/multi-search', { headers, body })
  const { body: answer } = await deletedBefore('page', ofPrices, release, search)
  const [{ document }] = answer.results[0].hits
  expect([document.attributes.name, document.attributes.price.USD.amount]).toEqual(['at 100', 100])
})

test('GET /catalog answers the previous release if the newest is deleted while it is read', async () => {
  const { first, release } = await published('catalog')
  const read = () => store.read('catalog', '/catalog')
  const { data } = await deletedBefore('findWhole', '"catalog-release"', release, read)
  expect(data.id).toBe(first.id)
})

test('a delta ends early if its release is deleted', async () => {
  const { release } = await published('delta')
  const link = (await shop.get(release)).data.relationships.delta.links.related
  const read = async () => {
    const answer = await fetch(link)
    await answer.text()
    return answer.status
  }
  const outcome = await deletedBefore('page', ofPrices, release, () => read().catch(() => 'broken off'))
  expect(outcome).not.toBe(200)
})
