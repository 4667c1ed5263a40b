import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../../builders/people/members.ts'
import {
  catalogBody,
  catalogs,
  makeCatalog,
  makeHierarchy,
  makePricebook,
  makeRule,
  publish,
  unpublish,
} from '../../builders/shop/catalogs.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const attributesOf = async (id: string) => (await world.admin.get(`${catalogs}/${id}`)).body.data.attributes
const put = (id: string, attributes: object) =>
  world.admin.put(`${catalogs}/${id}`, { data: { type: 'catalog', id, attributes } })

test('a catalog is shown as the public contract has it', async () => {
  const hierarchy = await makeHierarchy(world.admin)
  const { status, body } = await world.admin.post(catalogs, catalogBody({ hierarchy_ids: [hierarchy] }))
  const { id } = body.data
  expect([status, body]).toEqual([
    201,
    {
      data: {
        type: 'catalog',
        id,
        attributes: {
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          name: 'Bakery',
          description: '',
          hierarchy_ids: [hierarchy],
          enable_price_segmentation: false,
          owner: 'store',
        },
        relationships: {
          rules: {
            links: { related: `/pcm/catalogs/rules?filter=eq(catalog_id,${id})` },
            meta: { count: 0 },
          },
          releases: { links: { related: `/pcm/catalogs/${id}/releases` }, meta: { count: 0 } },
        },
      },
      links: { self: `${world.url}/catalogs/${id}` },
    },
  ])
  expect((await world.admin.get(`/pcm/catalogs/${id}`)).body).toEqual(body)
})

describe('the content of a catalog', () => {
  test('must exist', async () => {
    const nowhere = randomUUID()
    const hierarchy = await makeHierarchy(world.admin)
    const book = await makePricebook(world.admin)
    for (const [name, attributes] of [
      ['hierarchy_ids', { hierarchy_ids: [hierarchy, nowhere] }],
      ['pricebook_id', { pricebook_id: nowhere }],
      [
        'pricebook_ids',
        {
          pricebook_ids: [
            { id: book, priority: 1 },
            { id: nowhere, priority: 2 },
          ],
        },
      ],
    ] as const) {
      const reply = await world.admin.post(catalogs, catalogBody(attributes))
      expect(refusal(reply)).toEqual([422, 'unprocessable', `data.attributes.${name}`])
      expect(reply.body.errors[0].detail).toContain(nowhere)
    }
  })

  test('cannot be a node, or of another store', async () => {
    const hierarchy = await makeHierarchy(world.admin)
    const { body } = await world.admin.post(`/pcm/hierarchies/${hierarchy}/nodes`, {
      data: { type: 'node', attributes: { name: 'Rye' } },
    })
    const theirs = [await makeHierarchy(world.other), await makePricebook(world.other)] as const
    for (const attributes of [
      { hierarchy_ids: [body.data.id] },
      { hierarchy_ids: [theirs[0]] },
      { pricebook_id: theirs[1] },
    ]) {
      expect((await world.admin.post(catalogs, catalogBody(attributes))).status).toBe(422)
    }
  })

  test('keeps the order of the request, with each hierarchy once', async () => {
    const [one, two] = [await makeHierarchy(world.admin), await makeHierarchy(world.admin)]
    const id = await makeCatalog(world.admin, { hierarchy_ids: [two, one, two] })
    expect((await attributesOf(id)).hierarchy_ids).toEqual([two, one])
  })

  test('leaves it when it is deleted', async () => {
    const { admin } = world
    const [one, two] = [await makeHierarchy(admin), await makeHierarchy(admin)]
    const [cheap, dear] = [await makePricebook(admin), await makePricebook(admin)]
    const id = await makeCatalog(admin, {
      hierarchy_ids: [one, two],
      pricebook_ids: [
        { id: cheap, priority: 1 },
        { id: dear, priority: 2 },
      ],
    })
    const plain = await makeCatalog(admin, { pricebook_id: cheap })
    const rule = await makeRule(admin, id, { pricebook_ids: [{ id: cheap, priority: 1 }] })
    const before = await admin.get(`${catalogs}/${id}`)
    for (const path of [`/pcm/hierarchies/${one}`, `/pcm/pricebooks/${cheap}`]) {
      expect((await admin.delete(path)).status).toBe(204)
    }
    const after = await admin.get(`${catalogs}/${id}`)
    expect(after.body.data.attributes).toMatchObject({
      hierarchy_ids: [two],
      pricebook_ids: [{ id: dear, priority: 2 }],
    })
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(await attributesOf(plain)).not.toHaveProperty('pricebook_id')
    const { body } = await admin.get(`/catalogs/rules/${rule}`)
    expect(body.data.attributes).not.toHaveProperty('pricebook_ids')
    expect((await admin.delete(`/pcm/pricebooks/${dear}`)).status).toBe(204)
    expect(await attributesOf(id)).not.toHaveProperty('pricebook_ids')
    const { rows } = await world.feed(
      `SELECT count(*)::integer AS n FROM changes WHERE id = $1 AND event = 'updated'`,
      [id],
    )
    // The rule, the hierarchy, and each price book.
    expect(rows[0].n).toBe(4)
  })

  test('stays when a node of it is deleted, or another hierarchy', async () => {
    const hierarchy = await makeHierarchy(world.admin)
    const id = await makeCatalog(world.admin, { hierarchy_ids: [hierarchy] })
    const before = (await world.admin.get(`${catalogs}/${id}`)).headers.get('etag')
    const { body } = await world.admin.post(`/pcm/hierarchies/${hierarchy}/nodes`, {
      data: { type: 'node', attributes: { name: 'Rye' } },
    })
    await world.admin.delete(`/pcm/hierarchies/${hierarchy}/nodes/${body.data.id}`)
    await world.admin.delete(`/pcm/hierarchies/${await makeHierarchy(world.admin)}`)
    expect((await world.admin.get(`${catalogs}/${id}`)).headers.get('etag')).toBe(before)
  })

  test('cannot be deleted while a catalog begins to use it', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => makeHierarchy(world.admin)))
    const responses = await Promise.all(
      all.map(async (hierarchy) => {
        const deleted = world.admin.delete(`/pcm/hierarchies/${hierarchy}`)
        const reply = await world.admin.post(catalogs, catalogBody({ hierarchy_ids: [hierarchy] }))
        expect((await deleted).status).toBe(204)
        return reply
      }),
    )
    for (const { status, body } of responses) {
      if (status !== 422) expect((await attributesOf(body.data.id)).hierarchy_ids).toEqual([])
    }
  })
})

describe('price books of a catalog', () => {
  test('are sent in one of two members, of which the last one applies', async () => {
    const [one, two] = [await makePricebook(world.admin), await makePricebook(world.admin)]
    const several = [
      { id: one, priority: 1 },
      { id: two, priority: 5 },
    ]
    const both = catalogBody({ pricebook_id: one, pricebook_ids: several })
    expect(refusal(await world.admin.post(catalogs, both))).toEqual([
      422,
      'unprocessable',
      'data.attributes.pricebook_ids',
    ])
    const id = await makeCatalog(world.admin, { pricebook_id: one })
    expect((await put(id, { pricebook_id: one, pricebook_ids: several })).status).toBe(422)
    await put(id, { pricebook_ids: several })
    expect(await attributesOf(id)).toMatchObject({ pricebook_ids: several })
    expect(await attributesOf(id)).not.toHaveProperty('pricebook_id')
    await put(id, { pricebook_id: two })
    expect(await attributesOf(id)).toMatchObject({ pricebook_id: two })
    expect(await attributesOf(id)).not.toHaveProperty('pricebook_ids')
    await put(id, { pricebook_id: null })
    expect(await attributesOf(id)).not.toHaveProperty('pricebook_id')
  })

  test('are at most five, without duplicates', async () => {
    const books = await Promise.all(Array.from({ length: 6 }, () => makePricebook(world.admin)))
    const prioritized = books.map((id, priority) => ({ id, priority }))
    const reply = await world.admin.post(catalogs, catalogBody({ pricebook_ids: prioritized }))
    expect(refusal(reply)).toEqual([422, 'unprocessable', 'data.attributes.pricebook_ids'])
    await makeCatalog(world.admin, { pricebook_ids: prioritized.slice(1) })
    const twice = [prioritized[0], { ...prioritized[0], priority: 9 }]
    expect((await world.admin.post(catalogs, catalogBody({ pricebook_ids: twice }))).status).toBe(422)
  })
})

test('an update changes only the members that are sent', async () => {
  const id = await makeCatalog(world.admin, { description: 'Spring', locales: { 'fr-FR': { name: 'Pain' } } })
  const before = await attributesOf(id)
  const unchanged = await put(id, {})
  expect([unchanged.status, { ...unchanged.body.data.attributes, updated_at: before.updated_at }]).toEqual([
    200,
    before,
  ])
  expect((await put(id, { description: null, locales: null })).body.data.attributes).toMatchObject({
    name: 'Bakery',
    description: '',
  })
  expect(await attributesOf(id)).not.toHaveProperty('locales')
})

describe('a catalog can be deleted', () => {
  const remove = (id: string) => world.admin.delete(`${catalogs}/${id}`)

  test('if it has no releases', async () => {
    const id = await makeCatalog(world.admin)
    const release = await publish(world, id)
    const shown = await world.admin.get(`${catalogs}/${id}`)
    expect(shown.body.data.relationships.releases.meta.count).toBe(1)
    const { status, body } = await remove(id)
    expect([status, body.errors[0].detail]).toEqual([
      422,
      `The catalog has releases: ${release}. Delete them first.`,
    ])
    await unpublish(world, release)
    expect((await remove(id)).status).toBe(204)
  })

  test('if no rule uses it', async () => {
    const id = await makeCatalog(world.admin)
    const rule = await makeRule(world.admin, id)
    const reply = await remove(id)
    expect([reply.status, reply.body.errors[0].detail]).toEqual([
      422,
      `Catalog rules use this catalog: "a rule" (${rule}). Change or delete them first.`,
    ])
    await world.admin.delete(`/catalogs/rules/${rule}`)
    expect((await remove(id)).status).toBe(204)
  })

  test('without leaving a rule without its catalog, in any order of requests', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => makeCatalog(world.admin)))
    await Promise.all(
      ids.map(async (id) => {
        const rule = world.admin.post('/catalogs/rules', {
          data: { type: 'catalog_rule', attributes: { name: 'late', catalog_id: id } },
        })
        const [deleted, response] = await Promise.all([remove(id), rule])
        expect([
          [204, 422],
          [422, 201],
        ]).toContainEqual([deleted.status, response.status])
      }),
    )
  })
})

test('a new rule raises the version of its catalog, which shows the count of rules', async () => {
  const [one, other] = [await makeCatalog(world.admin), await makeCatalog(world.admin)]
  const stateOf = async (id: string) => {
    const { body, headers } = await world.admin.get(`${catalogs}/${id}`)
    return [body.data.relationships.rules.meta.count, headers.get('etag')] as const
  }
  const states = [await stateOf(one)]
  const rule = await makeRule(world.admin, one)
  states.push(await stateOf(one))
  const { body } = await world.admin.get(`/catalogs/rules?filter=eq(catalog_id,${one})`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([rule])
  await world.admin.put(`/catalogs/rules/${rule}`, {
    data: { type: 'catalog_rule', id: rule, attributes: { catalog_id: other } },
  })
  states.push(await stateOf(one))
  expect((await stateOf(other))[0]).toBe(1)
  await world.admin.delete(`/catalogs/rules/${rule}`)
  expect((await stateOf(other))[0]).toBe(0)
  expect(states.map(([count]) => count)).toEqual([0, 1, 0])
  expect(new Set(states.map(([, etag]) => etag)).size).toBe(3)
})
