import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deriveKeys } from '../../../server/kernel/auth/keys.ts'
import { isSealedWith } from '../../../server/kernel/auth/seal.ts'
import type { RunningServer } from '../../../server/main.ts'
import { StartupError } from '../../../server/platform/faults.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import {
  adminOf,
  key,
  newDirectory,
  serve,
  startedDirectory,
  startHere,
  stop,
  stopAfterEach,
} from '../../support/process.ts'
import { secret as one } from '../../support/world.ts'

/** A secret is replaced as docs/secret.md says, and a start without the right one is refused. */

let database: OwnDatabase
beforeEach(async () => {
  database = await ownDatabase()
})
afterEach(() => database.drop())
stopAfterEach()

const two = 'another secret than the one that the database was made with'

const secrets = (secret: string, previous?: string) => ({
  SUTLER_SECRET: secret,
  ...(previous && { SUTLER_PREVIOUS_SECRET: previous }),
})

/** A process of its own. */
const current = (secret: string, previous?: string, more: Record<string, string> = {}) =>
  serve(newDirectory(), {
    ...key,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    ...secrets(secret, previous),
    ...more,
  })

const startOnDatabase = (settings: Record<string, string>, dataDir = newDirectory()) =>
  startHere({ ...key, DATABASE_URL: database.url, ...settings }, { dataDir })
const startOn = (dataDir: string, settings: Record<string, string> = {}) =>
  startHere({ ...key, ...settings }, { dataDir })

async function refused(starting: Promise<RunningServer>): Promise<string> {
  const reason = await starting.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(StartupError)
  return (reason as StartupError).message
}

const post = async (client: Client, path: string, data: object, headers?: Record<string, string>) => {
  const reply = await client.post(path, { data }, headers)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply
}

/** One value of each kind that depends on the secret, and a check of all of them at a server. */
async function everySeal(url: string) {
  const admin = await adminOf(url)
  const realm = (await admin.get('/v2/settings/account-authentication')).body.data.relationships
    .authentication_realm.data.id
  const profile = await post(admin, `/v2/authentication-realms/${realm}/oidc-profiles`, {
    type: 'oidc-profile',
    name: 'P',
    client_id: 'c',
    client_secret: 'between us',
    discovery_url: 'https://id.example.com/.well-known/openid-configuration',
  })
  expect((await admin.put('/v2/gateways/stripe', { data: { login: 'sk_test_sealed' } })).status).toBe(200)
  const configuration = { url: 'https://shop.example.com', secret_key: 'sesame', signing: 'standard' }
  const integration = (
    await post(admin, '/v2/integrations', {
      ...{ type: 'integration', name: 'Hook', integration_type: 'webhook', observes: ['order.paid'] },
      configuration,
    })
  ).body.data
  for (const name of ['A', 'B', 'C']) await post(admin, '/v2/accounts', { type: 'account', name })
  const page = await admin.get('/v2/accounts?page[limit]=1&page[after]=')
  const person = {
    type: 'customer',
    name: 'Ada',
    email: `${randomUUID()}@example.com`,
    password: 'x'.repeat(9),
  }
  const customer = (await post(admin, '/v2/customers', person)).body.data.id
  const token = await admin.post('/v2/customers/tokens', { data: { ...person, type: 'token' } })
  const once = { 'idempotency-key': randomUUID() }
  const account = { type: 'account', name: 'Once' }
  const first = await post(admin, '/v2/accounts', account, once)
  return {
    profile: profile.body.data.id as string,
    customer: customer as string,
    once,
    async holdsAt(other: string) {
      const here = clientOf(other, admin.token)
      const walked = await here.get(
        new URL(page.body.links.next).pathname + new URL(page.body.links.next).search,
      )
      const asCustomer = await here.get(`/v2/customers/${customer}`, {
        'x-moltin-customer-token': token.body.data.token,
      })
      const again = await here.post('/v2/accounts', { data: account }, once)
      expect([walked.status, asCustomer.status, again.status]).toEqual([200, 200, 201])
      expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
      const newer = await adminOf(other)
      expect((await newer.get(`/v2/integrations/${integration.id}`)).body.data).toEqual({
        ...integration,
        links: expect.anything(),
      })
      await post(newer, '/v2/accounts', { type: 'account', name: 'New' })
      return newer.token
    },
  }
}

const sealedWith = async (profile: string) => {
  const { rows } = await database.sql(
    `SELECT hidden->>'client_secret' AS sealed FROM oidc_profiles WHERE id = $1
     UNION ALL SELECT hidden->>'sealed_secrets' FROM gateways WHERE slug = 'stripe'
     UNION ALL SELECT hidden->>'sealed_secrets' FROM integrations`,
    [profile],
  )
  return rows.map(({ sealed }) =>
    [one, two].filter((secret) => isSealedWith(deriveKeys([secret], 'sealed-values')[0], sealed)),
  )
}

test('a secret can be replaced while one of two processes always serves', async () => {
  let [left, right] = [await startOnDatabase(secrets(one)), current(one)]
  const seals = await everySeal(left.url)
  await right.ready

  // First all processes get the new one as the previous one, then all use it.
  for (const [secret, previous] of [
    [one, two],
    [two, one],
  ] as const) {
    await left.stop()
    left = await startOnDatabase(secrets(secret, previous))
    const token = await seals.holdsAt(left.url)
    // Each accepts what the other has made.
    expect((await clientOf(await right.ready, token).get('/v2/accounts')).status).toBe(200)
    const back = await seals.holdsAt(await right.ready)
    expect((await clientOf(left.url, back).get('/v2/accounts')).status).toBe(200)
    await stop(right.child)
    right = current(secret, previous)
    await seals.holdsAt(await right.ready)
  }
  expect(await sealedWith(seals.profile)).toEqual([[two], [two], [two]])
  expect(right.output()).toMatch(/SUTLER_PREVIOUS_SECRET is needed until \d{4}-\d\d-\d\dT/)

  expect(await refused(startOnDatabase(secrets(two)))).toMatch(
    /still needs the secret that was used before SUTLER_SECRET: set SUTLER_PREVIOUS_SECRET to it until \d{4}-\d\d-\d\dT/,
  )
  await Promise.all([left.stop(), stop(right.child)])
  await database.sql(`UPDATE secrets SET in_use_from = in_use_from - interval '25 hours'`)
  const last = current(two, one)
  await seals.holdsAt(await last.ready)
  expect(last.output()).toContain('SUTLER_PREVIOUS_SECRET is no longer needed')
  await stop(last.child)
  const without = await startOnDatabase(secrets(two))
  await adminOf(without.url)
  await without.stop()
}, 300_000)

test('another secret is refused, even beside the right one; a lost one can be given up', async () => {
  const running = await startOnDatabase(secrets(one))
  const seals = await everySeal(running.url)
  await running.stop()

  expect(await refused(startOnDatabase(secrets(two)))).toMatch(
    /created with a secret other than SUTLER_SECRET: restore that secret, or, .* SUTLER_FORGET_SECRET=true: everyone/,
  )
  // No SUTLER_SECRET, and a new data directory.
  const directory = newDirectory()
  expect(await refused(startOnDatabase({}, directory))).toContain(
    `the secret of this database is missing: there is no ${join(directory, 'secret')}, and no SUTLER_SECRET is set`,
  )

  const going = current(two, undefined, { SUTLER_FORGET_SECRET: 'true' })
  const admin = await adminOf(await going.ready)
  expect(going.output()).toContain(
    `the client secret of the OIDC profile ${seals.profile} was sealed with a secret`,
  )
  expect(going.output()).toContain('the secrets of the gateway stripe of the store')
  // They are set again as at first.
  const reset = await admin.put('/v2/gateways/stripe', { data: { enabled: true, login: 'sk_test_new' } })
  expect([reset.status, reset.body.data.meta.secrets]).toEqual([200, ['login']])
  const again = await admin.post('/v2/accounts', { data: { type: 'account', name: 'Once' } }, seals.once)
  expect([again.status, again.body.errors[0].detail]).toEqual([
    422,
    expect.stringContaining('response can no longer be read'),
  ])
  // An erasure reads the stored responses.
  const erasure = { type: 'erasure_request', resource_type: 'customer', resource_id: seals.customer }
  await post(admin, '/v2/personal-data/erasure-requests', erasure)
  const request = `/v2/personal-data/erasure-requests?filter=eq(resource_type,customer):eq(resource_id,${seals.customer})`
  await expect
    .poll(async () => (await admin.get(request)).body.data?.[0].status, { timeout: 20_000, interval: 200 })
    .toBe('SUCCESS')
  await stop(going.child)
  await (await startOnDatabase(secrets(two))).stop()
}, 300_000)

test('a data directory without its secret file is refused, and no new file is created', async () => {
  const directory = startedDirectory()
  rmSync(join(directory, 'secret'))
  for (const _ of [1, 2]) {
    expect(await refused(startOn(directory))).toContain(`there is no ${join(directory, 'secret')}`)
  }
  await (await startOn(directory, { SUTLER_FORGET_SECRET: 'true' })).stop()
  await (await startOn(directory)).stop()
}, 300_000)
