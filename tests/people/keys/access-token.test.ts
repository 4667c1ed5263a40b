import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenOf } from '../../support/client.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ clock })
})
afterAll(() => world.close())

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

const ask = (body: string, contentType: string) =>
  world.nobody.send('POST', '/oauth/access_token', { body, headers: { 'content-type': contentType } })

const credentials = (more: Record<string, unknown> = {}) => ({
  grant_type: 'client_credentials',
  client_id: world.key.id,
  client_secret: world.key.secret,
  ...more,
})
const asForm = (fields: Record<string, unknown>) => `${new URLSearchParams(fields as Record<string, string>)}`

test('the response is a flat object with the token', async () => {
  const { status, body } = await ask(asForm(credentials()), form)
  expect(status).toBe(200)
  const { access_token, expires, ...rest } = body
  expect(rest).toEqual({ token_type: 'Bearer', identifier: 'client_credentials', expires_in: 3600 })
  expect(Math.abs(expires - clock.now().getTime() / 1000 - 3600)).toBeLessThan(10)
  expect((await world.clientWith(access_token).get('/v2/accounts')).status).toBe(200)
})

test.each([
  ['a form', form, asForm],
  ['JSON', json, JSON.stringify],
  ['JSON that is labelled a form', form, JSON.stringify],
  ['a form that is labelled JSON', json, asForm],
  ['a form that is labelled text', 'text/plain', asForm],
  ['JSON in an envelope', json, (fields: object) => JSON.stringify({ data: fields })],
  ['JSON behind white space', form, (fields: object) => `\n ${JSON.stringify(fields)}`],
])('accepts %s', async (_name, contentType, write) => {
  expect((await ask(write(credentials()), contentType)).status).toBe(200)
})

describe('HTTP Basic', () => {
  const basic = (id: string, key: string) => `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`
  const askAs = (authorization: string, body: Record<string, unknown>) =>
    world.nobody.send('POST', '/oauth/access_token', {
      body: asForm(body),
      headers: { 'content-type': form, authorization },
    })
  const grant = { grant_type: 'client_credentials' }

  test('has the client id and the secret, encoded or not', async () => {
    const { id, secret } = world.key
    expect((await askAs(basic(id, secret), grant)).status).toBe(200)
    expect((await askAs(basic(encodeURIComponent(id), encodeURIComponent(secret)), grant)).status).toBe(200)
    expect((await askAs(basic(id, ''), { grant_type: 'implicit' })).status).toBe(200)
    expect((await askAs(basic(id, secret), { ...grant, client_id: id })).status).toBe(200)
  })

  test('a wrong secret is a 401 that names the scheme', async () => {
    const { status, headers } = await askAs(basic(world.key.id, 'wrong'), grant)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Sutler"'])
  })

  test('must not contradict the body', async () => {
    const { status, body } = await askAs(basic(world.key.id, world.key.secret), {
      ...grant,
      client_id: 'other',
    })
    expect([status, body.errors[0].source]).toEqual([400, 'client_id'])
    expect((await askAs('Basic bm8gY29sb24=', grant)).status).toBe(400)
  })

  test('a bearer token is ignored', async () => {
    expect((await askAs('Bearer old', credentials())).status).toBe(200)
  })
})

test('a body has at most 16 KiB', async () => {
  const longest = asForm(credentials({ rest: '' }))
  const fill = 'x'.repeat(16 * 1024 - longest.length)
  expect((await ask(longest + fill, form)).status).toBe(200)
  const { status, body } = await ask(`${longest}${fill}x`, form)
  expect(status).toBe(413)
  expect(body.errors[0].detail).toContain('16,384 bytes')
})

test('an implicit grant needs no secret, and its tokens have fewer rights', async () => {
  const { status, body } = await ask(asForm({ grant_type: 'implicit', client_id: world.key.id }), form)
  expect([status, body.identifier]).toEqual([200, 'implicit'])
  const shopper = world.clientWith(body.access_token)
  expect((await shopper.get('/v2/authentication-realms')).status).toBe(200)
  expect((await shopper.get('/v2/accounts')).status).toBe(403)
  const realm = (await shopper.get('/v2/authentication-realms')).body.data[0]
  expect((await shopper.put(`/v2/authentication-realms/${realm.id}`, { data: realm })).status).toBe(403)
})

test.each([
  ['an unknown grant', { grant_type: 'password' }, 400, 'grant_type'],
  ['no grant', { grant_type: undefined }, 400, 'grant_type'],
  ['no client', { client_id: undefined }, 400, 'client_id'],
  ['an unknown client', { client_id: 'nobody' }, 401, undefined],
  ['a NUL', { client_id: 'no\0body' }, 401, undefined],
  ['half a surrogate pair', { client_id: '\ud800' }, 401, undefined],
  ['a wrong secret', { client_secret: 'wrong' }, 401, undefined],
  ['no secret', { client_secret: undefined }, 401, undefined],
  ['an empty secret', { client_secret: '' }, 401, undefined],
  ['a secret that is no text', { client_secret: { $ne: '' } }, 401, undefined],
])('refuses %s', async (_name, change, status, source) => {
  const reply = await ask(JSON.stringify(credentials(change)), json)
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  expect(reply.body.errors[0]).toMatchObject({ status: String(status), ...(source && { source }) })
})

test.each(['', '{', '[]', 'null', '{"data":null}', '%%%', 'grant_type'])(
  'refuses the body %j',
  async (body) => {
    expect((await ask(body, json)).status).toBe(400)
    expect((await ask(body, form)).status).toBe(400)
  },
)

test.each([
  ['Bearer', 200],
  ['bearer', 200],
  ['Bearer:', 200],
  ['Basic', 401],
  ['', 401],
])('a token with the scheme %j is answered with %i', async (scheme, status) => {
  const authorization = `${scheme} ${world.admin.token}`
  const reply = await world.nobody.get('/v2/accounts', { authorization })
  expect(reply.status).toBe(status)
  if (status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer')
})

test('tokens of others are refused', async () => {
  const [header, payload, signature] = (world.admin.token as string).split('.') as [string, string, string]
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
  const other = (world.other.token as string).split('.')
  for (const token of ['x', `${header}.${payload}.`, `${header}.${other[1]}.${signature}`, unsigned]) {
    expect((await world.clientWith(token).get('/v2/accounts')).status, token).toBe(401)
  }
  expect((await world.nobody.get('/v2/accounts')).status).toBe(401)
})

test('a token expires at the time in the response', async () => {
  const caller = world.clientWith(
    await tokenOf(world.url, world.key.id, world.key.secret, 'client_credentials'),
  )
  expect((await caller.get('/v2/accounts')).status).toBe(200)
  clock.forward(3590)
  expect((await caller.get('/v2/accounts')).status).toBe(200)
  clock.forward(20)
  expect((await caller.get('/v2/accounts')).status).toBe(401)
  const fresh = world.clientWith(await tokenOf(world.url, world.key.id, world.key.secret, 'implicit'))
  expect((await fresh.get('/v2/authentication-realms')).status).toBe(200)
})

test('the secret of another store is refused', async () => {
  expect((await ask(asForm(credentials({ client_secret: world.othersSecret })), form)).status).toBe(401)
})
