import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { body } from '../../support/requests.ts'
import type { Client, World } from '../../support/world.ts'

/** Steps of most of these tests: make a person, and read what the store has about them. */
export const logs = '/v2/personal-data/logs'
export const related = '/v2/personal-data/related-data-entries'
export const erasureRequests = '/v2/personal-data/erasure-requests'

export const about = (type: string, id: string) => `?filter=eq(resource_type,${type}):eq(resource_id,${id})`

/** Creates an object and returns its path and id. */
export async function create(client: Client, collection: string, type: string, fields: object) {
  const reply = await client.post(collection, body(type, fields))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  const id = reply.body.data.id as string
  return { id, path: `${collection}/${id}` }
}

export const addressOf = (name: string) => ({
  first_name: name,
  last_name: name,
  line_1: `${name} Lane`,
  county: 'Cambridgeshire',
  postcode: 'CB7 4AA',
  country: 'GB',
})

async function accountRealm(client: Client): Promise<string> {
  const { body } = await client.get('/v2/settings/account-authentication')
  return `/v2/authentication-realms/${body.data.relationships.authentication_realm.data.id}`
}

export async function makeCustomer(client: Client, name: string) {
  const email = `${name}@example.com`
  const customer = await create(client, '/v2/customers', 'customer', { name, email })
  const address = await create(client, `${customer.path}/addresses`, 'address', addressOf(name))
  return { customer, address }
}

export async function makeAccount(client: Client, name: string) {
  const account = await create(client, '/v2/accounts', 'account', { name, legal_name: `${name} Ltd` })
  const address = await create(client, `${account.path}/addresses`, 'address', addressOf(name))
  return { account, address }
}

/** A member of the account realm with both kinds of sign-in. */
export async function makeMember(client: Client, name: string) {
  const realm = await accountRealm(client)
  const email = `${name}@example.com`
  const user = await create(client, `${realm}/user-authentication-info`, 'user_authentication_info', {
    name,
    email,
    given_name: name,
  })
  const profile = async (kind: string, type: string, fields: object) =>
    (await create(client, `${realm}/${kind}`, type, { name: 'Profile', ...fields })).id
  const oidc = await create(
    client,
    `${user.path}/user-authentication-oidc-profile-info`,
    'user_authentication_oidc_profile_info',
    {
      subject: `subject-${name}`,
      oidc_profile_id: await profile('oidc-profiles', 'oidc-profile', {
        discovery_url: 'https://id.example.com/.well-known/openid-configuration',
        client_id: 'shop',
        client_secret: 'between us',
      }),
    },
  )
  const passwordProfile = await profile('password-profiles', 'password_profile', {
    enable_one_time_password_token: true,
  })
  const password = await create(
    client,
    `${user.path}/user-authentication-password-profile-info`,
    'user_authentication_password_profile_info',
    {
      username: email,
      password: 'eleven horses',
      password_profile_id: passwordProfile,
    },
  )
  const oneTimePassword = `${realm}/password-profiles/${passwordProfile}/one-time-password-token-request`
  return { user, oidc, password, oneTimePassword }
}

export const join = (client: Client, account: { path: string }, userId: string) =>
  create(client, `${account.path}/account-memberships`, 'account_membership', { account_member_id: userId })

/** Requests an erasure, and waits until it has succeeded or failed. */
export async function erase(client: Client, resource_type: string, resource_id: string) {
  const { id } = await create(client, erasureRequests, 'erasure_request', { resource_type, resource_id })
  for (let attempt = 0; attempt < 200; attempt++) {
    const { body } = await client.get(`${erasureRequests}/${id}`)
    if (body.data.status !== 'CREATED') return body.data
    await setTimeout(50)
  }
  throw new Error(`The erasure request ${id} was not carried out`)
}

/** All columns of the database that contain the text, as `table.column`. */
export async function placesOf(world: World, text: string): Promise<string[]> {
  const { rows } = await world.feed(
    `SELECT c.table_schema || '.' || c.table_name AS relation, c.column_name AS name
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ('public', 'graphile_worker')
       AND c.data_type IN ('text', 'json', 'jsonb', 'character varying', 'ARRAY', 'bytea')
       AND NOT EXISTS (SELECT FROM pg_class p WHERE p.relispartition
         AND p.oid = format('%I.%I', c.table_schema, c.table_name)::regclass)`,
  )
  const places: string[] = []
  for (const { relation, name } of rows) {
    const { rows: hits } = await world.sql(
      `SELECT 1 FROM ${relation} WHERE strpos(lower(${name}::text), lower($1)) > 0 LIMIT 1`,
      [text],
    )
    if (hits.length) places.push(`${relation.replace('public.', '')}.${name}`)
  }
  return places.sort()
}

/** The reads in the log of an object, the newest first. */
export async function readsOf(client: Client, type: string, id: string) {
  const { body } = await client.get(`${logs}${about(type, id)}&page[limit]=100`)
  return body.data.filter(({ event_type }: { event_type: string }) => event_type === `${type}.event.read`)
}

/** Waits until all earlier reads are in the log. Reads are written in their order. */
export async function settled(client: Client) {
  const last = await create(client, '/v2/accounts', 'account', { name: 'The last one' })
  await client.get(last.path)
  await expect
    .poll(async () => (await readsOf(client, 'account', last.id)).length, { timeout: 10_000 })
    .toBe(1)
}

/** A caller with a key of their own. */
export async function newAdmin(world: World): Promise<{ client: Client; id: string }> {
  const key = await world.admin.post('/v2/application-keys', body('application_key', { name: 'Support' }))
  const { id, client_id, client_secret } = key.body.data
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const issued = await fetch(`${world.url}/oauth/access_token`, { method: 'POST', body: form })
  return { client: world.clientWith(((await issued.json()) as { access_token: string }).access_token), id }
}
