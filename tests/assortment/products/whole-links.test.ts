import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageLinks, pageMeta } from '../../../server/kernel/http/page-links.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { uploaded } from '../../builders/store/uploads.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const count = 30
const each = <T>(make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))

async function makeProduct(attributes: object = {}): Promise<string> {
  const data = {
    type: 'product',
    attributes: { name: 'A product', commodity_type: 'physical', ...attributes },
  }
  return (await world.admin.post('/pcm/products', { data })).body.data.id
}

const makeFile = async (n: number) => {
  const { id } = await uploaded(world, { name: `${n}.txt`, content: 'a', type: 'text/plain' })
  return { type: 'file', id: id as string }
}
const makeTemplate = async (n: number) => {
  const { id } = await makeFlow(world.admin, `products(t${n})`, {})
  return { type: 'template', id }
}

test.each([
  ['files', makeFile],
  ['templates', makeTemplate],
] as const)('a client that reads the %s of a product and writes them back loses none', async (name, make) => {
  const links = await each(make)
  const path = `/pcm/products/${await makeProduct()}/relationships/${name}`
  const reply = await world.admin.post(path, { data: links })
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  const { body } = await world.admin.get(path)
  expect([body.data.length, body.meta.results.total]).toEqual([count, count])
  const page = await world.admin.get(`${path}?page[limit]=4`)
  expect([page.body.data.length, page.body.meta.page.total]).toEqual([4, 8])
  if (name === 'files') await world.admin.put(path, { data: body.data })
  expect((await world.admin.get(path)).body.data).toHaveLength(count)
})

test('all component products of a bundle are listed', async () => {
  const ids = await each((n) => makeProduct({ sku: `part-${n}`, status: 'live' }))
  const options = ids.map((id) => ({ id, type: 'product', quantity: 1 }))
  const components = { parts: { name: 'Parts', min: 0, max: count, options } }
  const id = await makeProduct({ components })
  const { body } = await world.admin.get(`/pcm/products/${id}/relationships/component_products`)
  expect(body.data).toHaveLength(count)
})

test('the links of a whole list continue if it is longer than its limit', () => {
  const page = { rows: [], total: 10_250, limit: 10_000, offset: 0, unmerged: 0, isWhole: true }
  const links = pageLinks(page, 'http://x', { path: '/a', query: 'sort=id' })
  expect(links).toEqual({
    current: 'http://x/a?sort=id',
    first: 'http://x/a?sort=id',
    last: 'http://x/a?sort=id&page%5Blimit%5D=100&page%5Boffset%5D=10200',
    next: 'http://x/a?sort=id&page%5Blimit%5D=100&page%5Boffset%5D=10000',
    prev: null,
  })
  expect(pageMeta(page)).toEqual({
    page: { limit: 10_000, offset: 0, current: 1, total: 2 },
    results: { total: 10_250 },
  })
})
