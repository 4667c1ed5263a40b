import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const account = (fields: object) => ({ data: { type: 'account', ...fields } })

test('a child account shows its parent, and its ancestors from the root down', async () => {
  const root = await world.admin.post('/v2/accounts', account({ name: 'Root' }))
  const middle = await world.admin.post(
    '/v2/accounts',
    account({ name: 'Middle', parent_id: root.body.data.id }),
  )
  const leaf = await world.admin.post(
    '/v2/accounts',
    account({ name: 'Leaf', parent_id: middle.body.data.id }),
  )
  expect(leaf.status).toBe(201)
  expect(leaf.body.data.relationships).toEqual({
    parent: { data: { id: middle.body.data.id, type: 'account' } },
    ancestors: [root, middle].map(({ body }) => ({ id: body.data.id, type: 'account' })),
  })
  expect((await world.admin.delete(`/v2/accounts/${middle.body.data.id}`)).status).toBe(409)
})
