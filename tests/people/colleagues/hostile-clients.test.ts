import { randomBytes, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addColleague, colleagueOf, signInAs } from '../../builders/people/colleagues.ts'
import { realmsOf, user } from '../../builders/people/realms.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ overHttp: true, alone: true, clock })
  await colleagueOf(world, 'Store Admin')
})
afterAll(() => world.close())

const guess = (fields: object) =>
  world.nobody.post('/v2/colleague-tokens', body('colleague_token', { store: world.storeId, ...fields }))

const refusals = async () => {
  const { rows } = await world.feed(
    `SELECT count(*)::int AS n FROM changes WHERE store_id = $1 AND type = 'colleague_token'`,
    [world.storeId],
  )
  return rows[0]?.n as number
}

test.each([
  [
    'the secret of a link',
    () => ({
      authentication_mechanism: 'invitation',
      invitation: randomBytes(32).toString('base64url'),
      password: 'eleven horses by the river',
    }),
  ],
  [
    'the link of the first colleague',
    () => ({
      authentication_mechanism: 'invitation',
      invitation: `${world.storeId}.first.4000000000.${randomBytes(16).toString('base64url')}`,
      password: 'eleven horses by the river',
      ...{ name: 'Eve', email: 'eve@example.com' },
    }),
  ],
  [
    'a code of a provider',
    () => ({
      ...{
        authentication_mechanism: 'oidc',
        oauth_authorization_code: randomBytes(32).toString('base64url'),
      },
      oauth_redirect_uri: `${world.url}/console/signed-in`,
      oauth_code_verifier: randomBytes(32).toString('base64url'),
    }),
  ],
])('guessing %s is refused after a while, and fills nothing', async (_, fields) => {
  const before = await refusals()
  const statuses: number[] = []
  for (let i = 0; i < 25; i++) statuses.push((await guess(fields())).status)
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses.slice(20)).toEqual(Array(5).fill(429))
  expect((await refusals()) - before).toBe(20)
  clock.forward(16 * 60)
})

test('codes by mail are requested five times in a quarter of an hour, and the response never says so', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  const { merchants } = await realmsOf(world.admin)
  const profiles = `/v2/authentication-realms/${merchants}/password-profiles`
  const { body: listed } = await world.admin.get(profiles)
  await world.admin.put(
    `${profiles}/${listed.data[0].id}`,
    body('password_profile', { enable_one_time_password_token: true }),
  )
  const spellings = [email, email.toUpperCase(), `${email[0]?.toUpperCase()}${email.slice(1)}`]
  for (let i = 0; i < 12; i++) {
    const fields = { store: world.storeId, username: spellings[i % spellings.length] }
    const { status, body: none } = await world.nobody.post(
      '/v2/colleague-one-time-passwords',
      body('colleague_one_time_password', fields),
    )
    expect([status, none]).toEqual([202, undefined])
  }
  const sent = async () =>
    (
      await world.feed(
        `SELECT 1 FROM changes WHERE store_id = $1 AND type = 'one-time-password-token-request'`,
        [world.storeId],
      )
    ).rowCount
  await expect.poll(sent, { timeout: 10_000 }).toBe(5)
  // Guesses of the code count with those of the password.
  for (let i = 0; i < 5; i++)
    expect(
      (
        await guess({
          ...{ authentication_mechanism: 'passwordless', username: email },
          one_time_password_token: `wrong${i}`,
        })
      ).status,
    ).toBe(401)
  expect((await signInAs(world, email)).status).toBe(429)
  expect(await sent()).toBe(5)
})

test('a store whose prefix is the id of another store gets none of its colleagues', async () => {
  const { body: mapping } = await world.other.get('/v2/merchant-realm-mappings')
  const taken = await world.other.put(`/v2/merchant-realm-mappings/${mapping.data.id}`, {
    data: { type: 'merchant-realm-mappings', prefix: world.storeId },
  })
  expect(taken.status).toBe(200)
  for (const store of [world.storeId, world.storeId.toUpperCase()]) {
    const { body: ways } = await world.nobody.get(`/v2/colleague-sign-in?store=${store}`)
    expect(ways.data.store_id).toBe(world.storeId)
  }
})

test.each(['Support', 'eCommerce Admin'])(
  '%s reaches a colleague by no path of other people',
  async (role) => {
    const boss = await colleagueOf(world, 'Store Admin')
    const { client } = await colleagueOf(world, role)
    const { accounts, merchants, customers } = await realmsOf(world.admin)
    const home = await world.admin.post('/v2/accounts', body('account', { name: 'Home', legal_name: 'Home' }))
    const before = (
      await world.admin.get(`/v2/authentication-realms/${merchants}/user-authentication-info/${boss.userId}`)
    ).body.data
    const renamed = { name: 'Mine', email: 'mine@example.com' }
    const attempts = await Promise.all([
      client.put(`/v2/account-members/${boss.userId}`, body('account_member', renamed)),
      client.get(`/v2/account-members/${boss.userId}`),
      client.post(
        `/v2/accounts/${home.body.data.id}/account-memberships`,
        body('account_membership', { account_member_id: boss.userId }),
      ),
      ...[accounts, customers].flatMap((realm) => {
        const path = `/v2/authentication-realms/${realm}/user-authentication-info/${boss.userId}`
        return [
          client.get(path),
          client.put(path, user(renamed)),
          client.delete(path),
          client.put(
            `${path}/user-authentication-password-profile-info/${boss.passwordId}`,
            body('user_authentication_password_profile_info', { password: 'four other unrelated words' }),
          ),
          client.delete(`${path}/user-authentication-password-profile-info/${boss.passwordId}`),
        ]
      }),
      client.put(`/v2/customers/${boss.userId}`, body('customer', renamed)),
    ])
    for (const { status } of attempts) expect(status).toBeGreaterThanOrEqual(400)
    for (const { status } of attempts) expect(status).toBeLessThan(500)
    const after = await world.admin.get(
      `/v2/authentication-realms/${merchants}/user-authentication-info/${boss.userId}`,
    )
    expect(after.body.data).toEqual(before)
    expect((await signInAs(world, boss.email)).status).toBe(201)
  },
)

test('a role that is lowered takes invitations and their repeated answers along', async () => {
  const { client, assignmentId, userId } = await colleagueOf(world, 'Store Admin')
  const key = { 'idempotency-key': randomUUID() }
  const invitation = body('colleague_invitation', {
    ...{ name: 'Bob', email: `${randomUUID()}@example.com`, role: 'store-admin', delivery: 'link' },
  })
  const invite = () => client.post('/v2/colleague-invitations', invitation, key)
  expect((await invite()).status).toBe(201)
  const { body: roles } = await world.admin.get('/v2/permissions/built-in-roles')
  const support = roles.data.find(({ name }: { name: string }) => name === 'Support').id
  await world.admin.put(
    `/v2/permissions/role-assignments/${assignmentId}`,
    body('role_assignment', {
      relationships: {
        user: { data: { type: 'user_authentication_info', id: userId } },
        role: { data: { type: 'built_in_role', id: support } },
      },
    }),
  )
  await expect.poll(async () => (await invite()).status, { timeout: 3000 }).toBe(403)
  expect((await client.get('/v2/colleague-invitations')).status).toBe(403)
})

/** As it is, which `fetch` would not send. */
const sendRaw = (head: string) =>
  new Promise<string>((done, fail) => {
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    socket.on('end', () => done(text))
    socket.on('error', fail)
    socket.write(`${head}\r\nhost: shop.example.com\r\nconnection: close\r\n\r\n`)
  })

test.each([
  'GET /console/../../../../etc/passwd',
  'GET /console/..%2f..%2f..%2f..%2fetc%2fpasswd',
  'GET /console/%2e%2e/%2e%2e/package.json',
  'GET /console/assets/..%5c..%5cpackage.json',
  'GET /console/assets/%00',
  'GET /console//evil.example.com/%2e%2e',
  'GET /console/https://evil.example.com/',
  'GET http://evil.example.com/console',
  'GET /console\\..\\..\\package.json',
  'POST /console/v2/settings',
  'CONNECT evil.example.com:443',
])('the console is its own files and nothing else: %s', async (request) => {
  const text = await sendRaw(`${request} HTTP/1.1`)
  const [head = '', page = ''] = text.split('\r\n\r\n')
  expect(text).not.toMatch(/root:|"devDependencies"|"workspaces"/)
  expect(head).not.toMatch(/^location: .*evil/im)
  expect(page).not.toContain('evil.example.com')
  // The page of the console, or a refusal; a server that does not understand the request says nothing.
  expect(head === '' || /^HTTP\/1\.1 (200|400|404|405|501)/.test(head)).toBe(true)
})
