import { afterAll, beforeAll, expect, test } from 'vitest'
import { products } from '../../../server/assortment/index.ts'
import { change } from '../../../server/kernel/write/by-rules.ts'
import { namesIn, newProduct, put } from '../../builders/assortment/products.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

/** The tags of the store that begin so, and that their list has as many as it says. */
async function tagsLike(start: string): Promise<string[]> {
  const { body } = await world.admin.get(`/pcm/tags?page[limit]=100&filter=like(value,${start}*)`)
  expect(body.meta.results.total).toBe(body.data.length)
  return body.data.map(({ attributes }: { attributes: { value: string } }) => attributes.value).sort()
}

test('a tag exists while a product has it', async () => {
  const one = await newProduct(world.admin, { tags: ['a-rye', 'a-bread'] })
  const other = await newProduct(world.admin, { tags: ['A-BREAD'] })
  expect(await tagsLike('a-')).toEqual(['a-bread', 'a-rye'])
  const { body } = await world.admin.get('/pcm/tags?filter=eq(value,a-bread)')
  const [tag] = body.data
  expect(tag).toEqual({
    type: 'tag',
    id: tag.id,
    attributes: { value: 'a-bread' },
    meta: { created_at: expect.any(String), updated_at: expect.any(String), owner: 'store' },
    links: { self: `/tags/${tag.id}` },
  })
  expect((await world.admin.get(`/pcm/tags/${tag.id}`)).body.data).toEqual(tag)
  expect((await world.other.get(`/pcm/tags/${tag.id}`)).status).toBe(404)

  await put(world.admin, one.id, { tags: ['a-rye', 'a-loaf'] })
  expect(await tagsLike('a-')).toEqual(['a-bread', 'a-loaf', 'a-rye'])
  await world.admin.delete(`/pcm/products/${other.id}`)
  expect(await tagsLike('a-')).toEqual(['a-loaf', 'a-rye'])
  await put(world.admin, one.id, { tags: [] })
  expect(await tagsLike('a-')).toEqual([])
  // It is the same when it is back.
  await newProduct(world.admin, { tags: ['a-bread'] })
  expect((await world.admin.get(`/pcm/tags/${tag.id}`)).status).toBe(200)
  // The list's total is that of the list without a filter too.
  const all = await world.admin.get('/pcm/tags?page[limit]=100')
  expect(all.body.meta.results.total).toBe(all.body.data.length)
})

test('tags exist while a product has them, even with concurrent changes', async () => {
  const tags = ['b-one', 'b-two', 'b-three']
  const products = await Promise.all(Array.from({ length: 6 }, () => newProduct(world.admin)))
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      products.map(({ id }, i) =>
        put(world.admin, id, { tags: tags.filter((_, t) => (round + i + t) % 3 === 0) }),
      ),
    )
    // What most rounds leave of a tag is one product that has it, or none.
    await Promise.all(products.slice(round % 3).map(({ id }) => put(world.admin, id, { tags: [] })))
    const { rows } = await world.sql(
      `SELECT DISTINCT t.value FROM products p, json_array_elements_text(p.doc->'attributes'->'tags') t (value)
       WHERE t.value LIKE 'b-%' ORDER BY value`,
    )
    expect(await tagsLike('b-')).toEqual(rows.map(({ value }) => value))
  }
})

test('swapping tags does not deadlock', async () => {
  const [one, other] = await Promise.all(
    ['c-one', 'c-other'].map((tag) => newProduct(world.admin, { tags: [tag] })),
  )
  const bothHaveWritten = Promise.withResolvers<void>()
  let runs = 0
  const swap = (id: string, tag: string) =>
    world.work.transaction(async (work) => {
      await change(work, products, [], id, { tags: [tag] })
      // A transaction that is ended to break a circle runs again.
      if (++runs === 2) bothHaveWritten.resolve()
      await bothHaveWritten.promise
    })
  await Promise.all([swap(one.id, 'c-other'), swap(other.id, 'c-one')])
  expect(runs).toBe(2)
  expect(await tagsLike('c-')).toEqual(['c-one', 'c-other'])
})

test('a tag that moves between products in one transaction stays the same', async () => {
  const [from, to] = [await newProduct(world.admin, { tags: ['d-rye'] }), await newProduct(world.admin)]
  const events = () =>
    world.feed(`SELECT event FROM changes WHERE doc->'attributes'->>'value' = 'd-rye' OR event = 'deleted'`)
  const before = (await events()).rowCount
  await world.work.transaction(async (work) => {
    await change(work, products, [], from.id, { tags: [] })
    await change(work, products, [], to.id, { tags: ['d-rye'] })
  })
  expect((await events()).rowCount).toBe(before)
  expect(await tagsLike('d-')).toEqual(['d-rye'])
  await world.work.transaction(async (work) => {
    await change(work, products, [], from.id, { tags: ['d-bread'] })
    await change(work, products, [], from.id, { tags: [] })
  })
  expect(await tagsLike('d-')).toEqual(['d-rye'])
})

test('tags with the same long beginning are different tags', async () => {
  const [one, other] = ['a', 'b'].map((end) => `e-${'x'.repeat(200)}${end}`) as [string, string]
  const { id } = await newProduct(world.admin, { name: 'Alike', tags: ['e-rye', one, other] })
  const findByTag = (tag: string) => namesIn(world.admin, `/pcm/products?filter=eq(tags,${tag})`)
  expect([await findByTag(one), await findByTag(other)]).toEqual([['Alike'], ['Alike']])
  await put(world.admin, id, { tags: [other] })
  expect([await findByTag('e-rye'), await findByTag(one), await findByTag(other)]).toEqual([
    [],
    [],
    ['Alike'],
  ])
  expect(await tagsLike('e-')).toEqual([other])
  await put(world.admin, id, { tags: [one, other] })
  expect([await findByTag(one), await findByTag(other)]).toEqual([['Alike'], ['Alike']])
  await world.admin.delete(`/pcm/products/${id}`)
  expect([await findByTag(one), await tagsLike('e-')]).toEqual([[], []])
})
