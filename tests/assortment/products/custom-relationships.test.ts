import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, limits, type Other } from '../../../server/assortment/product-fields/association-rules.ts'
import { newProduct, refusal } from '../../builders/assortment/products.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const body = (attributes: object) => ({ data: { type: 'custom-relationship', attributes } })
let counter = 0
async function newRelationship(attributes: object = {}): Promise<string> {
  const slug = `CRP_${++counter}`
  const reply = await world.admin.post(
    '/pcm/custom-relationships',
    body({ name: 'Any', slug, ...attributes }),
  )
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  return slug
}
const newProducts = async (n: number): Promise<string[]> =>
  (await Promise.all(Array.from({ length: n }, () => newProduct(world.admin)))).map(({ id }) => id)

const send = (method: string, path: string, data: unknown) =>
  world.admin.send(method, `/pcm/products/${path}`, { body: JSON.stringify({ data }) })
const slugs = (...of: string[]) => of.map((slug) => ({ type: 'custom-relationship', slug }))
const links = (...ids: string[]) => ids.map((id) => ({ type: 'product', id }))
const linked = async (id: string, slug: string): Promise<string[]> => {
  const { body } = await world.admin.get(`/pcm/products/${id}/custom-relationships/${slug}`)
  expect(body.meta.results.total).toBe(body.data.length)
  return body.data.map((one: { id: string }) => one.id)
}
const metaOf = async (id: string) => (await world.admin.get(`/pcm/products/${id}`)).body.data.meta

test('a slug that is too long with its prefix is refused, and the longest one works', async () => {
  const create = (slug: string) => world.admin.post('/pcm/custom-relationships', body({ name: 'Long', slug }))
  const [status, source, detail] = refusal(await create('x'.repeat(252)))
  expect([status, source]).toEqual([422, 'data.attributes.slug'])
  expect(detail).toBe('data.attributes.slug must have at most 255 characters with the prefix CRP_, not 256.')
  const { body: longest } = await create('x'.repeat(251))
  const [id = ''] = await newProducts(1)
  const { slug } = longest.data.attributes
  expect((await send('POST', `${id}/custom-relationships`, slugs(slug))).status).toBe(201)
})

test('a custom relationship has a slug with a prefix, which cannot be changed', async () => {
  const reply = await world.admin.post('/pcm/custom-relationships', body({ name: 'Goes with', slug: 'with' }))
  expect([reply.status, reply.body.data]).toEqual([
    201,
    {
      type: 'custom-relationship',
      id: expect.any(String),
      attributes: { name: 'Goes with', slug: 'CRP_with', bi_directional: false },
      meta: {
        timestamps: { created_at: expect.any(String), updated_at: expect.any(String) },
        owner: 'store',
      },
      links: { self: '/custom-relationships/CRP_with' },
    },
  ])
  const path = '/pcm/custom-relationships/CRP_with'
  expect((await world.admin.get(path)).body).toEqual(reply.body)
  const put = (attributes: object) => world.admin.put(path, body(attributes))
  expect((await put({ slug: 'with', sort_order: 5 })).body.data.attributes).toMatchObject({ sort_order: 5 })
  expect(refusal(await put({ slug: 'without' })).slice(0, 2)).toEqual([422, 'data.attributes.slug'])
  const twice = await world.admin.post('/pcm/custom-relationships', body({ name: 'Any', slug: 'CRP_with' }))
  expect(refusal(twice)).toEqual([
    422,
    'data.attributes.slug',
    'data.attributes.slug: Must be unique amongst custom relationships.',
  ])
  const { body: list } = await world.admin.get('/pcm/custom-relationships?filter=in(slug,CRP_with,CRP_no)')
  expect(list.data).toHaveLength(1)
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await world.admin.get(path)).status).toBe(404)
})

test('a product has up to five, and those in use cannot be deleted', async () => {
  const [id = ''] = await newProducts(1)
  const all = await Promise.all(Array.from({ length: 6 }, () => newRelationship()))
  const [first = '', second = ''] = all
  const path = `${id}/custom-relationships`
  const added = await send('POST', path, slugs(first, second))
  expect([added.status, added.body.data.length, added.body.meta.results.total]).toEqual([201, 2, 2])
  expect((await metaOf(id)).custom_relationships).toEqual([first, second])
  const { relationships } = (await world.admin.get(`/pcm/products/${id}`)).body.data
  expect(relationships.custom_relationships).toEqual({
    data: [],
    links: {
      self: `/products/${id}/custom-relationships`,
      [first]: `/products/${id}/custom-relationships/${first}/products`,
      [second]: `/products/${id}/custom-relationships/${second}/products`,
    },
  })
  const tooMany = await send('POST', path, slugs(...all))
  expect(refusal(tooMany).slice(0, 2)).toEqual([422, 'data'])
  expect((await world.admin.get(`/pcm/products/${path}`)).body.meta.results.total).toBe(2)
  const used = await world.admin.delete(`/pcm/custom-relationships/${first}`)
  expect(refusal(used)).toEqual([
    422,
    undefined,
    'The custom relationship is in use. Detach it from all products first.',
  ])
  expect((await send('DELETE', path, slugs(first))).status).toBe(204)
  expect((await metaOf(id)).custom_relationships).toEqual([second])
  expect((await world.admin.delete(`/pcm/custom-relationships/${first}`)).status).toBe(204)
  expect(refusal(await send('POST', path, slugs(second, 'CRP_none')))).toEqual([
    404,
    'data.1.slug',
    'custom relationship not found: CRP_none',
  ])
})

test('at most five are attached, even if many are attached at once', async () => {
  const [id = ''] = await newProducts(1)
  const all = await Promise.all(Array.from({ length: 8 }, () => newRelationship()))
  const replies = await Promise.all(
    all.map((slug) => send('POST', `${id}/custom-relationships`, slugs(slug))),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 422, 422, 422])
  expect((await metaOf(id)).custom_relationships).toHaveLength(5)
})

test('associated products are added after the others, and the lowest sort_order is first', async () => {
  const slug = await newRelationship()
  const [id = '', a = '', b = '', c = '', d = ''] = await newProducts(5)
  const path = `${id}/custom-relationships/${slug}`
  expect(await linked(id, slug)).toEqual([])
  const missing = '00000000-0000-4000-8000-000000000000'
  const reply = await send('POST', path, links(c, missing, a, id))
  expect([reply.status, reply.body.meta]).toEqual([
    201,
    {
      associated_products: [c, a],
      products_not_associated: [
        { ID: missing, Details: 'could not find product' },
        { ID: id, Details: 'a product cannot be associated with itself' },
      ],
      owner: 'store',
      timestamps: { created_at: expect.any(String), updated_at: expect.any(String) },
    },
  ])
  expect((await metaOf(id)).custom_relationships).toEqual([slug])
  await send('POST', path, [...links(b, c), { type: 'product', id: d, attributes: { sort_order: 7 } }])
  expect(await linked(id, slug)).toEqual([d, c, a, b])
  await send('POST', path, [{ type: 'product', id: a, attributes: { sort_order: -1 } }])
  const { body } = await world.admin.get(`/pcm/products/${path}?page[limit]=2`)
  expect([body.data, body.meta.results.total]).toEqual([
    [
      { type: 'product', id: a, attributes: { sort_order: -1 } },
      { type: 'product', id: d, attributes: { sort_order: 7 } },
    ],
    4,
  ])
  const shown = await world.admin.get(`/pcm/products/${path}/products?page[limit]=3`)
  expect([shown.body.data.map((one: { id: string }) => one.id), shown.body.meta.results.total]).toEqual([
    [a, d, c],
    4,
  ])
  expect(shown.body.data[0].attributes.name).toBe('Rye loaf')
  const list = await world.admin.get(`/pcm/products/${path}/products?filter=in(id,${c},${id})&sort=-name`)
  expect(list.body.data.map((one: { id: string }) => one.id)).toEqual([c])
  // One way only.
  expect((await metaOf(a)).custom_relationships).toBeUndefined()
  expect((await send('DELETE', path, links(a, b))).status).toBe(204)
  expect((await world.admin.delete(`/pcm/products/${c}`)).status).toBe(204)
  expect(await linked(id, slug)).toEqual([d])
})

test('a bidirectional relationship works both ways, and both end together', async () => {
  const slug = await newRelationship({ bi_directional: true })
  const [id = '', a = '', b = '', full = ''] = await newProducts(4)
  const others = await Promise.all(Array.from({ length: 5 }, () => newRelationship()))
  await send('POST', `${full}/custom-relationships`, slugs(...others))
  const path = `${id}/custom-relationships/${slug}`
  const reply = await send('POST', path, links(a, b, full))
  expect(reply.body.meta.products_not_associated).toEqual([
    {
      ID: full,
      Details:
        'product already has 5 custom relationships, cannot associate more as it has reached the limit of ' +
        '5 custom relationships',
    },
  ])
  expect(await Promise.all([id, a, b].map((one) => linked(one, slug)))).toEqual([[a, b], [id], [id]])
  expect((await metaOf(a)).custom_relationships).toEqual([slug])
  const fixed = await world.admin.put(`/pcm/custom-relationships/${slug}`, body({ bi_directional: false }))
  expect(refusal(fixed).slice(0, 2)).toEqual([422, 'data.attributes.bi_directional'])
  await send('DELETE', `${a}/custom-relationships/${slug}`, links(id))
  expect(await Promise.all([id, a, b].map((one) => linked(one, slug)))).toEqual([[b], [], [id]])
  await send('DELETE', `${id}/custom-relationships`, slugs(slug))
  expect(await linked(b, slug)).toEqual([])
})

test('products that are associated at once are all linked in both directions', async () => {
  const slug = await newRelationship({ bi_directional: true })
  const ids = await newProducts(5)
  const replies = await Promise.all(
    ids.map((id) =>
      send('POST', `${id}/custom-relationships/${slug}`, links(...ids.filter((one) => one !== id))),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 201))
  for (const id of ids)
    expect((await linked(id, slug)).sort()).toEqual(ids.filter((one) => one !== id).sort())
})

describe('the choice of associated products', () => {
  const { attachedMax, associatedMax } = limits
  const count = (max: number) => fc.constantFrom(0, 1, max - 1, max)
  const anyOther = fc.record<Other>({
    attached: count(attachedMax),
    isAttached: fc.boolean(),
    associated: count(associatedMax),
    isAssociated: fc.boolean(),
    leadsBack: fc.boolean(),
  })
  const names = ['a', 'b', 'c', 'd']

  test('equals deciding one by one', () => {
    const facts = fc.dictionary(fc.constantFrom(...names), anyOther)
    const anyIds = fc.uniqueArray(fc.constantFrom(...names, 'base'))
    fc.assert(
      fc.property(facts, anyIds, count(associatedMax), fc.boolean(), (facts, ids, associated, back) => {
        const base = { id: 'base', attached: 1, isAttached: true, associated }
        const result = decide(base, ids, new Map(Object.entries(facts)), back)
        let links = associated
        for (const id of ids) {
          const other = facts[id]
          const fits =
            id !== 'base' &&
            other !== undefined &&
            (other.isAssociated || links < associatedMax) &&
            (!back ||
              ((other.leadsBack || other.associated < associatedMax) &&
                (other.isAttached || other.attached < attachedMax)))
          expect([id, result.associated.includes(id)]).toEqual([id, fits])
          expect([id, result.refused.some(({ ID }) => ID === id)]).toEqual([id, !fits])
          if (fits && !other.isAssociated) links += 1
        }
      }),
      { numRuns: tries(600, 3000) },
    )
  })
})
