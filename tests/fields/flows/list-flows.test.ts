import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a list of templates only is filtered and paged like the list of flows', async () => {
  for (const slug of ['products', 'products(book)', 'products(shoe)', 'products-of-mine'])
    await makeFlow(world.admin, slug, {})
  const slugs = async (query: string) => {
    const { body } = await world.admin.get(`/v2/flows${query}`)
    return [body.meta.results.total, body.data.map(({ slug }: { slug: string }) => slug)]
  }
  expect(await slugs('?template=products')).toEqual([2, ['products(shoe)', 'products(book)']])
  expect(await slugs('?template=products&sort=slug&page[limit]=1')).toEqual([2, ['products(book)']])
  expect(await slugs('?template=products&filter=eq(slug,products)')).toEqual([0, []])
  expect(await slugs('?template=custom&page[limit]=5')).toEqual([0, []])
  expect((await slugs('?template='))[0]).toBe(4)
  expect((await slugs(''))[0]).toBe(4)
})
