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

const idsOf = (them: Any): string[] => them.map(({ id }: Any) => id).sort()

/** Two loaves that share a picture; one has a recipe too. A basket offers both, and is the only one without files. */
async function pictured(channel: string) {
  const [picture, recipe] = [await file('loaf.png'), await file('recipe.pdf')]
  const { hierarchy, node } = await store.shelf()
  const [rye, oat] = [await shop.product(), await shop.product()]
  for (const id of [rye, oat]) {
    const path = `/pcm/products/${id}/relationships`
    const { status } = await world.admin.post(`${path}/main_image`, { data: { type: 'file', id: picture } })
    expect(status).toBeLessThan(300)
  }
  const more = await world.admin.post(`/pcm/products/${rye}/relationships/files`, {
    data: [{ type: 'file', id: recipe }],
  })
  expect(more.status).toBeLessThan(300)
  const option = (id: string) => ({ id, type: 'product', quantity: 1 })
  const components = { loaf: { name: 'Loaf', options: [option(rye), option(oat)] } }
  const basket = await shop.product({ components })
  await shop.put(hierarchy, node, rye, oat, basket)
  const catalog = await shop.catalog([hierarchy])
  await shop.publish(catalog)
  await store.lead(catalog, channel)
  const see = (path: string): Promise<Any> => store.read(channel, path)
  return { picture, recipe, rye, oat, basket, node, see }
}

test('a page comes with the files and main images of its products, each once', async () => {
  const { picture, recipe, rye, oat, basket, node, see } = await pictured('page')
  const include = 'include=files,main_image,component_products'
  for (const path of ['/catalog/products', `/catalog/nodes/${node}/relationships/products`]) {
    const { included } = await see(`${path}?${include}`)
    expect(idsOf(included.main_images)).toEqual([picture])
    expect(idsOf(included.files)).toEqual([recipe])
    expect(idsOf(included.component_products)).toEqual([rye, oat].sort())
    expect(included.main_images[0]).toMatchObject({
      type: 'file',
      link: { href: 'https://files.example/loaf.png' },
    })
  }
  const one = await see(`/catalog/products/${rye}?include=main_image`)
  expect(one.data.relationships.main_image.data).toEqual({ type: 'main_image', id: picture })
  expect([Object.keys(one.included), idsOf(one.included.main_images)]).toEqual([['main_images'], [picture]])
  const without = await see(`/catalog/products/${basket}?include=main_image,files`)
  expect(without.included).toEqual({ main_images: [], files: [] })
  expect(await see('/catalog/products')).not.toHaveProperty('included')
})

test("the list of a bundle's options includes their products", async () => {
  const { picture, rye, oat, basket, see } = await pictured('offered')
  const path = `/catalog/products/${basket}/relationships/component_products`
  const { data, included } = await see(`${path}?include=component_products,main_image`)
  expect(data).toEqual([rye, oat].map((id) => ({ type: 'product', id })))
  expect(included.component_products.map(({ attributes }: Any) => typeof attributes.sku)).toEqual([
    'string',
    'string',
  ])
  expect([idsOf(included.component_products), idsOf(included.main_images)]).toEqual([
    [rye, oat].sort(),
    [picture],
  ])
})

test('a file that is deleted after publishing is no longer shown', async () => {
  const { recipe, rye, see } = await pictured('deleted')
  await shop.send('DELETE', `/v2/files/${recipe}`, undefined, 204)
  const { data, included } = await see(`/catalog/products/${rye}?include=files`)
  expect([data.relationships.files.data.length, included.files]).toEqual([1, []])
})
