import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let roles: Record<string, string>
beforeAll(async () => {
  world = await openWorld()
  const { body } = await world.admin.get('/v2/permissions/built-in-roles')
  roles = Object.fromEntries(body.data.map(({ name, id }: { name: string; id: string }) => [name, id]))
})
afterAll(() => world.close())

const policies = '/v2/permissions/custom-api-role-policies'
const support = () => roles.Support as string

let apiCount = 0
async function newApi(client: Client = world.admin): Promise<string> {
  const slug = `api_${++apiCount}`
  const { status, body } = await client.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', name: slug, slug, api_type: `${slug}_ext` },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.id
}

const links = (api: unknown, role: unknown) => ({
  custom_api: { data: { id: api, type: 'custom_api' } },
  role: { data: { id: role, type: 'built_in_role' } },
})
const policy = (relationships: unknown, fields: object = {}) => ({
  data: {
    type: 'custom_api_role_policy',
    ...{ create: false, list: true, read: true, update: false, delete: false },
    relationships,
    ...fields,
  },
})

test('a policy has the rights of one role to one custom API', async () => {
  const api = await newApi()
  const sent = policy(links(api.toUpperCase(), support().toUpperCase()))
  const { status, body } = await world.admin.post(policies, sent)
  expect(status, JSON.stringify(body)).toBe(201)
  const { id } = body.data
  expect(body.data).toMatchObject({
    ...policy(links(api, support())).data,
    links: { self: `${policies}/${id}` },
  })
  expect(Object.keys(body)).toEqual(['data'])

  const update = { data: { type: 'custom_api_role_policy', create: true, list: false } }
  const updated = await world.admin.put(`${policies}/${id}`, update)
  expect(updated.body.data).toMatchObject({ create: true, list: false, read: true })
  expect((await world.admin.put(`${policies}/${id}`, updated.body)).status).toBe(200)
  const moved = await world.admin.put(`${policies}/${id}`, policy(links(await newApi(), support())))
  expect([moved.status, moved.body.errors[0].source]).toEqual([422, 'data.relationships'])
  expect((await world.admin.delete(`${policies}/${id}`)).status).toBe(204)
})

test('concurrent creates for one role and one custom API make one policy', async () => {
  const api = await newApi()
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => world.admin.post(policies, policy(links(api, support())))),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  const basic = await world.admin.post(policies, policy(links(api, roles.Basic)))
  expect(basic.status).toBe(201)
})

test('policies can be filtered by custom API and by role', async () => {
  const api = await newApi()
  const replies = await Promise.all(
    [support(), roles.Basic].map((role) => world.admin.post(policies, policy(links(api, role)))),
  )
  const find = async (filter: string) => {
    const { body } = await world.admin.get(`${policies}?sort=created_at&filter=${filter}`)
    return body.data.map(({ id }: { id: string }) => id).sort()
  }
  const ids = replies.map(({ body }) => body.data.id)
  expect(await find(`eq(custom_api_id,${api})`)).toEqual([...ids].sort())
  expect(await find(`eq(custom_api_id,${api}):eq(role_id,${support()})`)).toEqual([ids[0]])
  expect((await world.admin.get(`${policies}?filter=eq(role_id,Support)`)).status).toBe(400)
})

test('policies are deleted with their custom API', async () => {
  const api = await newApi()
  const { body } = await world.admin.post(policies, policy(links(api, support())))
  expect((await world.admin.delete(`/v2/settings/extensions/custom-apis/${api}`)).status).toBe(204)
  expect((await world.admin.get(`${policies}/${body.data.id}`)).status).toBe(404)
})

test('an incomplete policy, or one for an unknown role or custom API, is refused', async () => {
  const [api, theirs] = [await newApi(), await newApi(world.other)]
  const nowhere = '00000000-0000-4000-8000-000000000000'
  const role = 'data.relationships.role.data.id'
  const customApi = 'data.relationships.custom_api.data.id'
  const cases: [relationships: unknown, fields: object, source: string][] = [
    [links(nowhere, support()), {}, customApi],
    [links(theirs, support()), {}, customApi],
    [links('x', support()), {}, customApi],
    [links(api, nowhere), {}, role],
    [links(api, 7), {}, role],
    [{ custom_api: links(api, support()).custom_api }, {}, 'data.relationships.role'],
    [{ ...links(api, support()), role: {} }, {}, 'data.relationships.role.data'],
    [undefined, {}, 'data.relationships'],
    [links(api, support()), { read: undefined }, 'data.read'],
    [links(api, support()), { read: 'yes' }, 'data.read'],
  ]
  for (const [relationships, fields, source] of cases) {
    const { status, body } = await world.admin.post(policies, policy(relationships, fields))
    expect([status, body.errors?.[0].source], JSON.stringify(body)).toEqual([400, source])
  }
})
