import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, address, member, membership } from '../../builders/people/accounts.ts'
import { idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const accounts = '/v2/accounts'

test('a child account shows its parent, and its ancestors from the root down', async () => {
  const root = await idOf(world.admin.post(accounts, account({ name: 'Root' })))
  const middle = await idOf(world.admin.post(accounts, account({ parent_id: root.toUpperCase() })))
  const leaf = await world.admin.post(accounts, account({ parent_id: middle }))
  expect(leaf.status).toBe(201)
  expect(leaf.body.data).toMatchObject({ parent_id: middle })
  expect(leaf.body.data.relationships).toEqual({
    parent: { data: { id: middle, type: 'account' } },
    ancestors: [root, middle].map((id) => ({ data: { id, type: 'account' } })),
  })
  const refused = await world.admin.delete(`${accounts}/${middle}`)
  expect(refused.status).toBe(409)
  expect(refused.body.errors[0].detail).toMatch(/child accounts/)
  for (const id of [leaf.body.data.id, middle, root]) {
    expect((await world.admin.delete(`${accounts}/${id}`)).status).toBe(204)
  }
})

test('a parent is set once, and must be an account of the store', async () => {
  const parent = await idOf(world.admin.post(accounts, account()))
  const { body } = await world.admin.post(accounts, account({ parent_id: parent }))
  const path = `${accounts}/${body.data.id}`
  expect((await world.admin.put(path, body)).status).toBe(200)
  const cases: [expected: number, reply: ReturnType<World['admin']['put']>][] = [
    [422, world.admin.put(path, account({ parent_id: body.data.id }))],
    [422, world.admin.put(path, account({ parent_id: null }))],
    [422, world.admin.put(`${accounts}/${parent}`, account({ parent_id: body.data.id }))],
    [404, world.admin.post(accounts, account({ parent_id: '00000000-0000-4000-8000-000000000000' }))],
    [404, world.other.post(accounts, account({ parent_id: parent }))],
    [400, world.admin.post(accounts, account({ parent_id: 'none' }))],
  ]
  for (const [expected, reply] of cases) {
    const { status, body } = await reply
    expect(status, JSON.stringify(body)).toBe(expected)
    expect(body.errors[0].source).toBe('data.parent_id')
  }
})

test('of deleting a parent and adding a child to it at the same time, one is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const parent = await idOf(world.admin.post(accounts, account()))
    const [child, gone] = await Promise.all([
      world.admin.post(accounts, account({ parent_id: parent })),
      world.admin.delete(`${accounts}/${parent}`),
    ])
    expect([
      [201, 409],
      [404, 204],
    ]).toContainEqual([child.status, gone.status])
  }
})

test('a tree is at most a hundred ancestors deep', async () => {
  let parent_id = await idOf(world.admin.post(accounts, account()))
  for (let depth = 0; depth < 100; depth++) {
    parent_id = await idOf(world.admin.post(accounts, account({ parent_id })))
  }
  expect((await world.admin.post(accounts, account({ parent_id }))).status).toBe(422)
})

test('a registration id belongs to one account, also under concurrent creates', async () => {
  const body = account({ registration_id: 'GB-1' })
  const replies = times(8, () => world.admin.post(accounts, body))
  expect(await statuses(replies)).toEqual({ 201: 1, 409: 7 })
  expect((await world.other.post(accounts, body)).status).toBe(201)
})

test('deleting an account deletes its addresses and memberships, but not its members', async () => {
  const id = await idOf(world.admin.post(accounts, account()))
  const user = await member(world.admin)
  await idOf(world.admin.post(`${accounts}/${id}/addresses`, address()))
  await idOf(world.admin.post(`${accounts}/${id}/account-memberships`, membership(user)))
  expect((await world.admin.delete(`${accounts}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${accounts}/${id}/addresses`)).status).toBe(404)
  const { body } = await world.admin.get(`/v2/account-members/${user}/account-memberships`)
  expect(body).toMatchObject({ data: [], meta: { results: { total: 0 } } })
  const { rows } = await world.feed(
    `SELECT type FROM changes WHERE event = 'deleted' AND (id = $1 OR scope = $1) ORDER BY type`,
    [id],
  )
  expect(rows.map(({ type }) => type)).toEqual(['account', 'account_membership', 'address'])
})
