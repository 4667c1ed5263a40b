import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { verifyCustomerToken } from '../../../server/people/customers/customer-token.ts'
import { address, password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, idOf, statuses } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
let ada: string
const email = 'Ada@Example.com'
beforeAll(async () => {
  world = await openWorld({ clock })
  ada = await idOf(world.admin.post(customers, customer({ name: 'Ada Marsh', email, password })))
})
afterAll(() => world.close())

const credentials = (fields: object = {}) => body('token', { email, password, ...fields })
const signIn = async (fields: object = {}): Promise<string> =>
  (await world.shopper.post(tokens, credentials(fields))).body.data.token

test('a token names the customer and is valid for 24 hours', async () => {
  for (const fields of [{}, { authentication_mechanism: 'password' }, { email: 'ada@example.COM' }]) {
    const { status, body: answer } = await world.shopper.post(tokens, credentials(fields))
    expect(status, JSON.stringify(answer)).toBe(200)
    const { id, token, expires, ...rest } = answer.data
    expect(rest).toEqual({ type: 'token', customer_id: ada })
    expect(Math.abs(expires - clock.now().getTime() / 1000 - 86_400)).toBeLessThan(10)
    expect(decodeProtectedHeader(token).alg).toBe('HS256')
    const claims = { sub: ada, name: 'Ada Marsh', jti: id, exp: expires, iat: expires - 86_400 }
    expect(decodeJwt(token)).toEqual({ ...claims, password_epoch: expect.any(String) })
    expect(await verifyCustomerToken(world.server.instance, world.storeId, token)).toMatchObject({
      customerId: ada,
      signedInS: expires - 86_400,
    })
  }
  expect((await world.admin.post(tokens, credentials())).status).toBe(200)
})

describe('a sign-in is refused', () => {
  // Each has its first wrong password.
  afterEach(() => world.sql('DELETE FROM attempts'))

  test.each([
    ['a wrong password', { password: 'eleven horses by the lake!' }, 401],
    ['a wrong case of the password', { password: password.toUpperCase() }, 401],
    ['an empty password', { password: '' }, 401],
    ['an unknown address', { email: 'nobody@example.com' }, 401],
    ['a pattern for an address', { email: '%@Example.com' }, 401],
    ['no password', { password: undefined }, 400, 'data.password'],
    ['no address', { email: undefined }, 400, 'data.email'],
    ['a password that is none', { password: true }, 400, 'data.password'],
    ['a password that nobody has', { password: 'x'.repeat(1025) }, 400, 'data.password'],
    ['another type', { type: 'customer' }, 400, 'data.type'],
    ['a mechanism that is none', { authentication_mechanism: 'key' }, 400, 'data.authentication_mechanism'],
    [
      'OpenID Connect without a code',
      { authentication_mechanism: 'oidc' },
      400,
      'data.oauth_authorization_code',
    ],
  ])('with %s', async (_name, fields, status, source?: string) => {
    const reply = await world.shopper.post(tokens, credentials(fields))
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body.errors[0].source).toBe(source)
    expect(JSON.stringify(reply.body)).not.toMatch(/horses|xxx/)
  })

  test('for a customer without a password, in the same words', async () => {
    await idOf(world.admin.post(customers, customer({ email: 'none@example.com' })))
    const replies = [
      { email: 'none@example.com' },
      { email: 'nobody@example.com' },
      { password: 'wrong one' },
    ].map((fields) => world.shopper.post(tokens, credentials(fields)))
    const bodies = (await Promise.all(replies)).map((reply) => JSON.stringify([reply.status, reply.body]))
    expect(new Set(bodies).size).toBe(1)
  })

  test('for a customer of another store, for an unknown customer, and with a former password', async () => {
    expect((await world.other.post(tokens, credentials())).status).toBe(401)
    expect((await world.nobody.post(tokens, credentials())).status).toBe(401)
    const fields = { email: 'fickle@example.com', password }
    const id = await idOf(world.admin.post(customers, customer(fields)))
    await world.admin.put(`${customers}/${id}`, body('customer', { password: 'a new password' }))
    expect((await world.shopper.post(tokens, credentials(fields))).status).toBe(401)
    const now = { email: fields.email, password: 'a new password' }
    expect((await world.shopper.post(tokens, credentials(now))).status).toBe(200)
  })
})

describe('a token', () => {
  const verified = (token: string, storeId = world.storeId) =>
    verifyCustomerToken(world.server.instance, storeId, token)

  test('is valid in its own store only', async () => {
    const other = (await world.other.get('/v2/settings')).body.data.id
    await expect(verified(await signIn(), other)).rejects.toMatchObject({ status: 401 })
  })

  test('with a foreign signature is refused', async () => {
    const token = await signIn()
    const [header, payload] = token.split('.')
    const forge = (key: Uint8Array) =>
      new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(ada).setExpirationTime('1h').sign(key)
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    const bad = [
      'x',
      '',
      `${token}x`,
      `${header}.${payload}.`,
      none,
      world.admin.token as string,
      await forge(world.server.instance.shopperTokenKeys('account-member')[0]),
    ]
    for (const one of bad) await expect(verified(one), one).rejects.toMatchObject({ status: 401 })
    // Nor is it an access token.
    expect((await world.clientWith(token).get(customers)).status).toBe(401)
  })

  test('ends when its customer is deleted', async () => {
    const fields = { email: 'brief@example.com', password }
    const id = await idOf(world.admin.post(customers, customer(fields)))
    const token = await signIn(fields)
    expect(await verified(token)).toMatchObject({ customerId: id })
    await world.admin.delete(`${customers}/${id}`)
    await expect(verified(token)).rejects.toMatchObject({ status: 401 })
  })

  test('ends after 24 hours', async () => {
    const token = await signIn()
    clock.forward(86_400 - 60)
    expect(await verified(token)).toMatchObject({ customerId: ada })
    clock.forward(61)
    await expect(verified(token)).rejects.toMatchObject({
      status: 401,
      detail: 'The customer token has expired.',
    })
    clock.forward(-86_401)
  })
})

test('a customer token allows its caller to read and change that customer only', async () => {
  const bob = await idOf(world.admin.post(customers, customer({ password })))
  for (const id of [ada, bob]) await idOf(world.admin.post(`${customers}/${id}/addresses`, address()))
  const theirs = (await world.admin.get(`${customers}/${bob}/addresses`)).body.data[0].id
  const headers = { 'x-moltin-customer-token': await signIn() }
  const { shopper } = world

  expect((await shopper.get(`${customers}/${ada}`)).status).toBe(403)
  expect((await shopper.get(`${customers}/${ada}`, headers)).status).toBe(200)
  const list = await shopper.get(customers, headers)
  expect([list.body.meta.results.total, list.body.data[0].id]).toEqual([1, ada])
  const renamed = await shopper.put(`${customers}/${ada}`, body('customer', { name: 'Ada Byron' }), headers)
  expect(renamed.body.data.name).toBe('Ada Byron')
  const { rows } = await world.feed(`SELECT actor FROM changes WHERE id = $1 AND event = 'updated'`, [ada])
  expect(rows).toEqual([{ actor: ada }])
  const added = await shopper.post(`${customers}/${ada}/addresses`, address(), headers)
  expect(added.status).toBe(201)
  expect((await shopper.get(`${customers}/${ada}/addresses`, headers)).body.meta.results.total).toBe(2)
  expect((await shopper.delete(`${customers}/${ada}/addresses/${added.body.data.id}`, headers)).status).toBe(
    204,
  )

  const others = [
    shopper.get(`${customers}/${bob}`, headers),
    shopper.put(`${customers}/${bob}`, body('customer'), headers),
    shopper.delete(`${customers}/${bob}`, headers),
    shopper.get(`${customers}/${bob}/addresses`, headers),
    shopper.post(`${customers}/${bob}/addresses`, address(), headers),
    shopper.get(`${customers}/${bob}/addresses/${theirs}`, headers),
    shopper.put(`${customers}/${bob}/addresses/${theirs}`, body('address'), headers),
    shopper.delete(`${customers}/${bob}/addresses/${theirs}`, headers),
    shopper.get(`${customers}/${ada}/addresses/${theirs}`, headers),
    shopper.get(`${customers}/${randomUUID()}`, headers),
  ]
  expect(await statuses(others)).toEqual({ 404: others.length })
  expect((await shopper.post(customers, customer(), headers)).status).toBe(403)
  expect((await shopper.get('/v2/accounts', headers)).status).toBe(403)
  expect((await shopper.get(`${customers}/${ada}`, { 'x-moltin-customer-token': 'x' })).status).toBe(401)
})

describe('guessing passwords', () => {
  test('is slowed down across all spellings of a name', async () => {
    await idOf(world.admin.post(customers, customer({ email: 'vickim@example.com', password })))
    const names = ['vickim', 'VICKIM', 'v\u0130ckim', 'vick\u0130m', 'v\u0130ck\u0130m', 'Vickim']
    const counts: number[] = []
    for (const name of names) {
      const guess = credentials({ email: `${name}@example.com`, password: 'a wrong password' })
      counts.push((await world.admin.post(tokens, guess)).status)
    }
    expect(counts).toEqual([401, 401, 401, 401, 401, 429])
  })

  test('is also slowed down through changes of one’s own address', async () => {
    await idOf(world.admin.post(customers, customer({ email: 'gus@example.com', password })))
    const headers = { 'x-moltin-customer-token': await signIn({ email: 'gus@example.com' }) }
    const gus = (await world.shopper.get(customers, headers)).body.data[0].id
    const counts: number[] = []
    for (let i = 0; i < 6; i++) {
      counts.push(
        (await world.shopper.put(`${customers}/${gus}`, body('customer', { email }), headers)).status,
      )
    }
    expect(counts).toEqual([409, 409, 409, 409, 409, 429])
  })
})
