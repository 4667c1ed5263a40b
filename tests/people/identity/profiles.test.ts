import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, seal } from '../../../server/kernel/auth/seal.ts'
import { oidcProfile, passwordProfile, realmsOf } from '../../builders/people/realms.ts'
import { idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realms: Awaited<ReturnType<typeof realmsOf>>
beforeAll(async () => {
  world = await openWorld()
  realms = await realmsOf(world.admin)
})
afterAll(() => world.close())

const at = (realm: string, kind: 'oidc-profiles' | 'password-profiles') =>
  `/v2/authentication-realms/${realm}/${kind}`

describe('an OIDC profile', () => {
  test('shows its issuer and its addresses, but never its secret', async () => {
    const secret = 'only the provider knows this'
    const reply = await world.admin.post(
      at(realms.customers, 'oidc-profiles'),
      oidcProfile({ client_secret: secret }),
    )
    expect(reply.status).toBe(201)
    const { id, meta } = reply.body.data
    expect(reply.body.data).toEqual({
      id,
      type: 'oidc-profile',
      name: 'Directory',
      discovery_url: 'https://id.example.com/.well-known/openid-configuration',
      client_id: 'shop',
      meta: { created_at: meta.created_at, updated_at: meta.updated_at, issuer: 'https://id.example.com' },
    })
    const realm = `stores/${world.storeId}/authentication-realms/${realms.customers}`
    expect(reply.body.links).toEqual({
      self: `${world.url}${at(realms.customers, 'oidc-profiles')}/${id}`,
      'authorization-endpoint': `${world.url}/oidc-idp/login/${realm}?elasticpath_commerce_cloud_profile_id=${id}`,
      'callback-endpoint': `${world.url}/oidc-idp/callback/${realm}/oidc-profiles/${id}`,
      'client-discovery-url': `${world.url}/oidc-idp/${realm}/.well-known/openid-configuration`,
    })
    const { links } = reply.body
    expect((await world.nobody.get(links['client-discovery-url'])).status).toBe(200)
    // Nobody comes there without a sign-in under way: see oidc-sign-in.test.ts.
    for (const name of ['callback-endpoint', 'authorization-endpoint']) {
      expect((await world.nobody.get(links[name])).body.error).toBe('invalid_request')
    }

    const sealed = async () =>
      (await world.sql('SELECT hidden FROM oidc_profiles WHERE id = $1', [id])).rows[0].hidden.client_secret
    const before = await sealed()
    const key = world.server.instance.sealKeys
    expect(open(key, before)).toBe(secret)
    // Another field leaves it as it is; another secret takes its place.
    await world.admin.put(`${at(realms.customers, 'oidc-profiles')}/${id}`, {
      data: { type: 'oidc-profile', name: 'Renamed' },
    })
    expect(await sealed()).toBe(before)
    const changed = await world.admin.put(
      `${at(realms.customers, 'oidc-profiles')}/${id}`,
      oidcProfile({ client_secret: 'another' }),
    )
    expect(JSON.stringify(changed.body)).not.toContain('another')
    expect(open(key, await sealed())).toBe('another')
    const { rows } = await world.feed('SELECT doc::text FROM changes WHERE id = $1', [id])
    expect(rows.length).toBe(3)
    expect(JSON.stringify(rows)).not.toMatch(/secret/)
  })

  const cases: [shows: string, fields: object, status: number, source?: string][] = [
    ['takes an http address', { discovery_url: 'http://localhost:8080/realm' }, 201],
    ['refuses another scheme', { discovery_url: 'ftp://id.example.com' }, 400, 'data.discovery_url'],
    ['refuses what is no address', { discovery_url: 'id.example.com' }, 400, 'data.discovery_url'],
    ['needs an address', { discovery_url: undefined }, 400, 'data.discovery_url'],
    ['needs a client', { client_id: undefined }, 400, 'data.client_id'],
    ['needs a secret', { client_secret: undefined }, 400, 'data.client_secret'],
    ['needs a name', { name: undefined }, 400, 'data.name'],
    ['refuses a wrong type', { type: 'oidc_profile' }, 400, 'data.type'],
  ]
  test.each(cases)('%s', async (_shows, fields, status, source) => {
    const reply = await world.admin.post(at(realms.customers, 'oidc-profiles'), oidcProfile(fields))
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body.errors?.[0].source).toBe(source)
  })

  test('needs an existing realm, and is found in that realm only', async () => {
    const id = await idOf(world.admin.post(at(realms.merchants, 'oidc-profiles'), oidcProfile()))
    expect((await world.admin.get(`${at(realms.customers, 'oidc-profiles')}/${id}`)).status).toBe(404)
    for (const realm of [randomUUID(), 'no-id']) {
      expect((await world.admin.get(at(realm, 'oidc-profiles'))).status).toBe(404)
      expect((await world.admin.post(at(realm, 'oidc-profiles'), oidcProfile())).status).toBe(404)
    }
    expect((await world.other.get(at(realms.merchants, 'oidc-profiles'))).status).toBe(404)
    expect((await world.other.post(at(realms.merchants, 'oidc-profiles'), oidcProfile())).status).toBe(404)
  })
})

describe('a password profile', () => {
  test('is created with defaults, and can be changed', async () => {
    const reply = await world.admin.post(at(realms.accounts, 'password-profiles'), passwordProfile())
    expect(reply.status).toBe(201)
    expect(reply.body.data).toMatchObject({
      type: 'password_profile',
      name: 'Passwords',
      username_format: 'any',
      enable_one_time_password_token: false,
    })
    const self = reply.body.links.self
    const changed = await world.admin.put(
      self,
      passwordProfile({ username_format: 'email', enable_one_time_password_token: true }),
    )
    expect(changed.body.data).toMatchObject({
      username_format: 'email',
      enable_one_time_password_token: true,
    })
    expect((await world.admin.put(self, passwordProfile({ username_format: 'phone' }))).status).toBe(400)
    const data = { username: 'ada', purpose: 'reset_password', type: 'one_time_password_token_request' }
    const request = await world.shopper.post(`${self}/one-time-password-token-request`, { data })
    expect(request.status).toBe(202)
    expect((await world.admin.delete(self)).status).toBe(204)
    expect((await world.admin.get(self)).status).toBe(404)
  })

  test('belongs to the realm of account members', async () => {
    const reply = await world.admin.post(at(realms.customers, 'password-profiles'), passwordProfile())
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].detail).toContain(realms.accounts)
    expect((await world.admin.get(at(realms.customers, 'password-profiles'))).body.meta.results.total).toBe(0)
    expect((await world.admin.post(at(randomUUID(), 'password-profiles'), passwordProfile())).status).toBe(
      404,
    )
    expect((await world.other.post(at(realms.accounts, 'password-profiles'), passwordProfile())).status).toBe(
      404,
    )
    const upper = at(realms.accounts.toUpperCase(), 'password-profiles')
    expect((await world.admin.post(upper, passwordProfile())).status).toBe(201)
  })
})

test('a sealed text opens only with the same key, and only unchanged', () => {
  const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const sealed = seal([key], 'a secret – with ünicode')
  expect(open([key], sealed)).toBe('a secret – with ünicode')
  expect(open([other, key], sealed)).toBe('a secret – with ünicode')
  expect(seal([key], 'a secret')).not.toBe(seal([key], 'a secret'))
  expect(() => open([other], sealed)).toThrow('a secret that the server does not have')
  expect(() => open([key], sealed.slice(0, -4) + (sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'))).toThrow()
  expect(() => open([key], 'short')).toThrow()
})
