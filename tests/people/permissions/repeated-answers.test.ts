import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { membership, password } from '../../builders/people/accounts.ts'
import { header, person, profile, tokenRequest, tokens } from '../../builders/people/members.ts'
import { tokenOf } from '../../support/client.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A response is repeated for an Idempotency-Key only to the same caller, who must still have the right to the call. */

let world: World
let policy: string
const entries = '/v2/extensions/notes'
const note = { data: { type: 'note_ext' } }

beforeAll(async () => {
  world = await openWorld()
  const api = await world.admin.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', name: 'Notes', slug: 'notes', api_type: 'note_ext' },
  })
  const roles = (await world.admin.get('/v2/permissions/built-in-roles')).body.data
  const allow = async (role: string) => {
    const { id } = roles.find(({ name }: { name: string }) => name === role)
    const relationships = {
      custom_api: { data: { id: api.body.data.id, type: 'custom_api' } },
      role: { data: { id, type: 'built_in_role' } },
    }
    const rights = { create: true, list: false, read: false, update: true, delete: true }
    const policy = { type: 'custom_api_role_policy', ...rights, relationships }
    return (await world.admin.post('/v2/permissions/custom-api-role-policies', { data: policy })).body.data.id
  }
  policy = `/v2/permissions/custom-api-role-policies/${await allow('Guest Shopper')}`
  await allow('Registered Shopper')
})
afterAll(() => world.close())

const newKey = () => ({ 'idempotency-key': randomUUID() })
const replayed = 'idempotency-replayed'
const guest = async () =>
  world.clientWith(await tokenOf(world.url, world.key.id, world.key.secret, 'implicit'))

test('an anonymous caller with the same application key does not get it', async () => {
  const headers = newKey()
  const first = await world.admin.post(entries, note, headers)
  const second = await world.shopper.post(entries, note, headers)
  expect([second.status, second.headers.get(replayed)]).toEqual([201, null])
  expect(second.body.data.id).not.toBe(first.body.data.id)
})

test('another anonymous caller does not get it, even within the same second', async () => {
  const [one, other] = await Promise.all([guest(), guest()])
  expect(one.token).not.toBe(other.token)
  const headers = newKey()
  const first = await one.post(entries, note, headers)
  const second = await other.post(entries, note, headers)
  expect([second.status, second.headers.get(replayed)]).toEqual([201, null])
  const again = await one.post(entries, note, headers)
  expect([again.headers.get(replayed), again.body]).toEqual(['true', first.body])
})

test('an administrator with another token gets it', async () => {
  const headers = newKey()
  const first = await world.admin.post(entries, note, headers)
  const token = await tokenOf(world.url, world.key.id, world.key.secret, 'client_credentials')
  const again = await world.clientWith(token).post(entries, note, headers)
  expect([again.headers.get(replayed), again.body]).toEqual(['true', first.body])
})

test('the same member with a token for another account does not get it', async () => {
  const who = await person(world, await profile(world.admin))
  const other = await idOf(world.admin.post('/v2/accounts', body('account', { name: 'B', legal_name: 'B' })))
  await idOf(world.admin.post(`/v2/accounts/${other}/account-memberships`, membership(who.id)))
  const { body: signed } = await world.shopper.post(
    tokens,
    tokenRequest('password', { password_profile_id: who.profileId, username: who.username, password }),
  )
  const [home, elsewhere] = signed.data.map(({ token }: { token: string }) => ({ [header]: token }))
  const key = newKey()
  expect((await world.shopper.post(entries, note, { ...home, ...key })).status).toBe(201)
  expect((await world.shopper.post(entries, note, { ...elsewhere, ...key })).status).toBe(422)
  // The bearer token does not identify the member.
  const again = await (await guest()).post(entries, note, { ...home, ...key })
  expect([again.status, again.headers.get(replayed)]).toEqual([201, 'true'])
})

test('a caller who lost the right does not get it', async () => {
  const { id } = (await world.admin.post(entries, note)).body.data
  const key = randomUUID()
  const outcomes = async () => {
    const outcomes = []
    for (const [method, path] of [
      ['POST', entries],
      ['PUT', `${entries}/${id}`],
      ['DELETE', `${entries}/${id}`],
    ] as const) {
      const headers = { 'idempotency-key': `${key} ${method}` }
      const { status, ...reply } = await world.shopper.send(method, path, {
        body: JSON.stringify(note),
        headers,
      })
      outcomes.push([status, reply.headers.get(replayed)])
    }
    return outcomes
  }
  const allowed = [201, 200, 204]
  expect(await outcomes()).toEqual(allowed.map((status) => [status, null]))
  expect(await outcomes()).toEqual(allowed.map((status) => [status, 'true']))
  const nothing = { type: 'custom_api_role_policy', create: false, update: false, delete: false }
  expect((await world.admin.put(policy, { data: nothing })).status).toBe(200)
  expect(await outcomes()).toEqual(allowed.map(() => [403, null]))
})
