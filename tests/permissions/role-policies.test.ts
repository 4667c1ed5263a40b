import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { openWorld, type World } from '../support/world.ts'

/** What shoppers may do with the entries of a custom API: what its policies say, and nothing else. */

let world: World
let apiId: string
let guest: string

beforeAll(async () => {
  world = await openWorld()
  const api = await world.admin.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', name: 'Notes', slug: 'notes', api_type: 'note_ext', allow_upserts: true },
  })
  apiId = api.body.data.id
  const roles = await world.admin.get('/v2/permissions/built-in-roles')
  guest = roles.body.data.find(({ name }: { name: string }) => name === 'Guest Shopper').id
})
afterAll(() => world.close())

const note = { data: { type: 'note_ext' } }
const rights = ['create', 'list', 'read', 'update', 'delete'] as const
const unknown = '00000000-0000-4000-8000-000000000001'

/** The statuses of the five calls, at one of the two addresses. */
async function attempts(who: Client, address: string): Promise<Record<(typeof rights)[number], number>> {
  const entry = `${address}/${(await world.admin.post(address, note)).body.data.id}`
  return {
    create: (await who.post(address, note)).status,
    list: (await who.get(address)).status,
    read: (await who.get(entry)).status,
    update: (await who.put(entry, note)).status,
    delete: (await who.delete(entry)).status,
  }
}

const addresses = () => ['/v2/extensions/notes', `/v2/settings/extensions/custom-apis/${apiId}/entries`]
const granted = { create: 201, list: 200, read: 200, update: 200, delete: 204 } as const

test('without a policy a shopper may do nothing, an administrator everything', async () => {
  for (const address of addresses()) {
    expect(new Set(Object.values(await attempts(world.shopper, address)))).toEqual(new Set([403]))
    expect(await attempts(world.admin, address)).toEqual(granted)
  }
})

test.each(rights)('a policy that gives only %s gives that and nothing else, at once', async (right) => {
  const made = await world.admin.post('/v2/permissions/custom-api-role-policies', {
    data: {
      type: 'custom_api_role_policy',
      ...Object.fromEntries(rights.map((name) => [name, name === right])),
      relationships: {
        custom_api: { data: { id: apiId, type: 'custom_api' } },
        role: { data: { id: guest, type: 'built_in_role' } },
      },
    },
  })
  expect(made.status).toBe(201)
  for (const address of addresses()) {
    const wanted = Object.fromEntries(rights.map((name) => [name, name === right ? granted[name] : 403]))
    expect(await attempts(world.shopper, address)).toEqual(wanted)
    // An upsert creates: the right to update is not enough.
    const upsert = await world.shopper.put(`${address}/${unknown}`, note)
    expect(upsert.status).toBe(403)
  }
  await world.admin.delete(`/v2/permissions/custom-api-role-policies/${made.body.data.id}`)
  expect((await world.shopper.get('/v2/extensions/notes')).status).toBe(403)
})
