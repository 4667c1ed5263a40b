import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { leadsToUnborn, Samples, specimensWith } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const below = specimensWith('create').filter(
  ({ resource, operations }) =>
    resource.parent && operations.create?.of.is === 'resource' && !leadsToUnborn({ path: resource.path }),
)

describe.each(below)('create $name', ({ resource, operations }) => {
  test('is a 404 below a missing parent, before any rule looks at the body', async () => {
    const { method, path } = operations.create as NonNullable<typeof operations.create>
    const { body } = await samples.call(operations.create as NonNullable<typeof operations.create>)
    const parent = randomUUID()
    const elsewhere = (await samples.path(path)).split('/').with(-2, parent).join('/')
    const rule = resource.beforeWrite && vi.spyOn(resource, 'beforeWrite')
    const reply = await world.admin.send(method, elsewhere, { body: JSON.stringify(body) })
    expect([reply.status, reply.body.errors[0].code]).toEqual([404, 'not_found'])
    expect(reply.body.errors[0].detail).toContain(parent)
    if (rule) expect(rule).not.toHaveBeenCalled()
    rule?.mockRestore()
  })
})
