import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Relationship } from '../../../server/kernel/declare/relationship.ts'
import { operations, Samples, specimenNamed, specimens } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** Creates that take links, and the relationships they take them for. */
const cases = operations.flatMap(({ id, of }) =>
  of.is === 'resource'
    ? (of.links ?? []).map((links) => ({ id, links: links.name, resource: of.resource, relationship: links }))
    : [],
)

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const memberOf = ({ path }: Relationship) => path.slice(path.lastIndexOf('/') + 1)

test('a create of a product accepts links to files, a main image, templates and variations', () => {
  expect(cases.map(({ id, relationship }) => `${id} ${memberOf(relationship)}`).sort()).toEqual([
    'create-product files',
    'create-product main_image',
    'create-product templates',
    'create-product variations',
  ])
})

describe.each(cases)('$id with $links', ({ resource, relationship }) => {
  const specimen = specimens.find((one) => one.resource === resource) as (typeof specimens)[number]
  const { holds, target, type = target().type } = relationship
  const member = memberOf(relationship)

  /** Creates an object with this `data` of the relationship. */
  async function created(data: unknown) {
    const path = await samples.path(resource.path)
    const body = (await samples.body(specimen, path)) as { data: object }
    const relationships = { [member]: { data, links: { self: '/somewhere' } }, other: { data: [] } }
    return world.admin.post(path, { data: { ...body.data, relationships } })
  }
  const total = async () => {
    const { body } = await world.admin.get(`${await samples.path(resource.path)}?page[limit]=0`)
    return body.meta.results.total
  }

  test('links existing objects, as the operation of the relationship does', async () => {
    const { id } = await samples.make(specimenNamed(target().noun[0]))
    const link = { type, id }
    const reply = await created(holds === 'one' ? { ...link, id: id.toUpperCase() } : [link, link])
    expect([reply.status, reply.body.errors]).toEqual([201, undefined])
    const address = relationship.path.replace(/:\w+/, reply.body.data.id)
    const { body } = await world.admin.get(address)
    expect([body.data].flat(), 'its links').toMatchObject([link])
    const { body: now } = await world.admin.get(`${resource.path}/${reply.body.data.id}`)
    expect(reply.body.data, 'the answer').toEqual(now.data)
  })

  test('accepts an empty list, and the form in which responses show none', async () => {
    for (const none of [null, ...(holds === 'many' ? [[]] : []), undefined]) {
      expect((await created(none)).status).toBe(201)
    }
  })

  test('refuses missing objects and malformed links, and creates nothing then', async () => {
    const before = await total()
    const unknown = { type, id: randomUUID() }
    const missing = await created(holds === 'one' ? unknown : [unknown])
    const at = `data.relationships.${member}.data`
    const source = holds === 'one' ? `${at}.id` : `${at}.0.id`
    expect([missing.status, missing.body.errors[0].source]).toEqual([404, source])
    expect(missing.body.errors[0].detail).toContain(unknown.id)
    const strange = { type: 'strange', id: unknown.id }
    const wrong = await created(holds === 'one' ? strange : [strange])
    expect([wrong.status, wrong.body.errors[0].source]).toEqual([
      resource.refusedWith ?? 400,
      source.replace(/id$/, 'type'),
    ])
    expect(await total()).toBe(before)
  })
})
