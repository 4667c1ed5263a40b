import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const roles = '/v2/permissions/built-in-roles'

test('every store has the same roles, and each can be read by its id', async () => {
  const { status, body } = await world.admin.get(roles)
  expect(status).toBe(200)
  expect((await world.other.get(roles)).body).toEqual(body)
  expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(body.data.length)
  for (const role of body.data) {
    const path = `${roles}/${role.id}`
    expect(role).toMatchObject({ type: 'built_in_role', links: { self: path } })
    expect((await world.admin.get(path)).body).toEqual({ data: role })
  }
  const shopper = body.data.find(({ name }: { name: string }) => name === 'Registered Shopper')
  expect(shopper.cm_user_assignable).toBe(false)
})

test.each(['00000000-0000-4000-8000-000000000000', 'admin'])('there is no role %s', async (id) => {
  expect((await world.admin.get(`${roles}/${id}`)).status).toBe(404)
})

test('roles cannot be changed, and shoppers cannot read them', async () => {
  expect((await world.admin.post(roles, { data: { type: 'built_in_role', name: 'X' } })).status).toBe(405)
  expect((await world.shopper.get(roles)).status).toBe(403)
})
