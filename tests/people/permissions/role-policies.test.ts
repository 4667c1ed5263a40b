import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../../builders/people/accounts.ts'
import { person, profile, signedIn } from '../../builders/people/members.ts'
import type { Client } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Shoppers have exactly the rights to entries of a custom API that its policies grant. */

let world: World
let apiId: string
let guest: string
let registered: string

beforeAll(async () => {
  world = await openWorld()
  const api = await world.admin.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', name: 'Notes', slug: 'notes', api_type: 'note_ext', allow_upserts: true },
  })
  apiId = api.body.data.id
  const roles = await world.admin.get('/v2/permissions/built-in-roles')
  const idOf = (role: string) => roles.body.data.find(({ name }: { name: string }) => name === role).id
  guest = idOf('Guest Shopper')
  registered = idOf('Registered Shopper')
})
afterAll(() => world.close())

const note = { data: { type: 'note_ext' } }
const rights = ['create', 'list', 'read', 'update', 'delete'] as const
const unknown = '00000000-0000-4000-8000-000000000001'

/** The statuses of the five calls, at one of the two addresses. */
async function attempts(
  who: Client,
  address: string,
  headers: Record<string, string> = {},
): Promise<Record<(typeof rights)[number], number>> {
  const entry = `${address}/${(await world.admin.post(address, note)).body.data.id}`
  return {
    create: (await who.post(address, note, headers)).status,
    list: (await who.get(address, headers)).status,
    read: (await who.get(entry, headers)).status,
    update: (await who.put(entry, note, headers)).status,
    delete: (await who.delete(entry, headers)).status,
  }
}

const policy = (role: string, gives: (right: (typeof rights)[number]) => boolean, api = apiId) => ({
  data: {
    type: 'custom_api_role_policy',
    ...Object.fromEntries(rights.map((right) => [right, gives(right)])),
    relationships: {
      custom_api: { data: { id: api, type: 'custom_api' } },
      role: { data: { id: role, type: 'built_in_role' } },
    },
  },
})
const policies = '/v2/permissions/custom-api-role-policies'

const addresses = () => ['/v2/extensions/notes', `/v2/settings/extensions/custom-apis/${apiId}/entries`]
const granted = { create: 201, list: 200, read: 200, update: 200, delete: 204 } as const

test('without a policy a shopper has no rights and an administrator has all', async () => {
  for (const address of addresses()) {
    expect(new Set(Object.values(await attempts(world.shopper, address)))).toEqual(new Set([403]))
    expect(await attempts(world.admin, address)).toEqual(granted)
  }
})

test.each(rights)('a policy that grants only %s grants nothing else, and applies at once', async (right) => {
  const reply = await world.admin.post(
    policies,
    policy(guest, (name) => name === right),
  )
  expect(reply.status).toBe(201)
  for (const address of addresses()) {
    const expected = Object.fromEntries(rights.map((name) => [name, name === right ? granted[name] : 403]))
    expect(await attempts(world.shopper, address)).toEqual(expected)
    // An upsert may create, so the right to update is not enough.
    const upsert = await world.shopper.put(`${address}/${unknown}`, note)
    expect(upsert.status).toBe(403)
  }
  await world.admin.delete(`${policies}/${reply.body.data.id}`)
  expect((await world.shopper.get('/v2/extensions/notes')).status).toBe(403)
})

test('a caller who can update an entry but not read it sees only the fields of the request', async () => {
  const type = 'letter_ext'
  const apis = '/v2/settings/extensions/custom-apis'
  const api = await world.admin.post(apis, {
    data: { type: 'custom_api', name: 'Letters', slug: 'letters', api_type: type, allow_upserts: true },
  })
  const { id: letters } = api.body.data
  const named = { use_as_url_slug: true, validation: { string: { unique: 'yes', allow_null_values: false } } }
  for (const [slug, more] of Object.entries({ title: {}, secret: {}, handle: named })) {
    const field = { type: 'custom_field', name: slug, slug, field_type: 'string', ...more }
    const reply = await world.admin.post(`${apis}/${letters}/fields`, { data: field })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  }
  const [address, inSettings] = ['/v2/extensions/letters', `${apis}/${letters}/entries`]
  const stored = { title: 'Old', secret: 'of someone else', handle: 'the-handle' }
  const { id } = (await world.admin.post(address, { data: { type, ...stored } })).body.data
  const grant = await world.admin.post(
    policies,
    policy(guest, (right) => right !== 'read', letters),
  )
  const update = (path: string, values: object) =>
    world.shopper.put(`${path}/${id}`, { data: { type, ...values } })

  for (const path of [address, inSettings]) {
    const reply = await update(path, { title: 'New' })
    expect(reply.status).toBe(200)
    expect(reply.body.data).toEqual({
      id,
      type,
      title: 'New',
      links: { self: `/extensions/letters/${id}` },
      meta: {
        timestamps: { created_at: expect.any(String), updated_at: expect.any(String) },
        resource_version: expect.any(Number),
        etag_id: expect.any(String),
      },
    })
    expect(reply.headers.get('etag')).toBe(`W/"${reply.body.data.meta.etag_id}"`)
    expect(JSON.stringify((await update(path, {})).body)).not.toMatch(/someone else|the-handle|New|data_size/)
  }
  // The caller who creates an entry has sent all of its fields.
  const own = await world.shopper.put(`${inSettings}/${unknown}`, { data: { type, handle: 'mine' } })
  expect([own.status, own.body.data.handle, own.body.data.secret]).toEqual([201, 'mine', null])

  const allowed = { data: { type: 'custom_api_role_policy', read: true } }
  expect((await world.admin.put(`${policies}/${grant.body.data.id}`, allowed)).status).toBe(200)
  expect((await update(address, { title: 'Newer' })).body.data).toMatchObject({ ...stored, title: 'Newer' })
  expect((await world.admin.delete(`${policies}/${grant.body.data.id}`)).status).toBe(204)
})

test('a policy applies to all entries, also to those of others', async () => {
  const reply = await world.admin.post(
    policies,
    policy(guest, (right) => right === 'update' || right === 'delete'),
  )
  for (const address of addresses()) {
    expect(await attempts(world.shopper, address)).toMatchObject({ update: 200, delete: 204 })
  }
  expect((await world.admin.delete(`${policies}/${reply.body.data.id}`)).status).toBe(204)
})

test('signed-in shoppers have the role of registered shoppers, not of guests', async () => {
  const profileId = await profile(world.admin)
  const customer = { type: 'customer', name: 'Ada', email: 'ada@example.com', password }
  await world.admin.post('/v2/customers', { data: customer })
  const signIn = { data: { type: 'token', email: 'ada@example.com', password } }
  const { token } = (await world.shopper.post('/v2/customers/tokens', signIn)).body.data
  const shoppers = [
    { 'x-moltin-customer-token': token },
    await signedIn(world, await person(world, profileId)),
  ]
  const [address = ''] = addresses()

  await world.admin.post(
    policies,
    policy(guest, () => true),
  )
  for (const headers of shoppers) {
    expect(new Set(Object.values(await attempts(world.shopper, address, headers)))).toEqual(new Set([403]))
  }
  await world.admin.post(
    policies,
    policy(registered, (right) => right !== 'delete'),
  )
  for (const headers of shoppers) {
    expect(await attempts(world.shopper, address, headers)).toEqual({ ...granted, delete: 403 })
  }
})
