import { afterAll, beforeAll, expect, test } from 'vitest'
import { valuesIn } from '../../../server/kernel/request/name-holder.ts'
import { colleagueOf } from '../../builders/people/colleagues.ts'
import {
  oidcLink,
  oidcProfile,
  passwordLink,
  passwordProfile,
  realmsOf,
  user,
} from '../../builders/people/realms.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realmId: string
let realm: string
beforeAll(async () => {
  world = await openWorld()
  realmId = (await realmsOf(world.admin)).accounts
  realm = `/v2/authentication-realms/${realmId}`
})
afterAll(() => world.close())

const newUser = () => idOf(world.admin.post(`${realm}/user-authentication-info`, user()))
const linksOf = (userId: string) =>
  `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`

test('a seller learns whose a taken identity is, at a create, an update and a dry run', async () => {
  const profile = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
  const link = (subject: string) => oidcLink({ oidc_profile_id: profile, subject })
  const [ada, bob] = [await newUser(), await newUser()]
  // Subjects are what a provider likes.
  const subject = 'ada, (the first)=(one)'
  const held = await idOf(world.admin.post(linksOf(ada), link(subject)))
  const own = await idOf(world.admin.post(linksOf(bob), link('bob')))
  const expected = {
    holder: { type: 'user_authentication_oidc_profile_info', id: held },
    ...{ realm_id: realmId, user_authentication_info_id: ada },
  }
  const { client: support } = await colleagueOf(world, 'Support')
  const plain = await idOf(world.admin.post(linksOf(ada), link('ada')))
  const refusals = [
    await world.admin.post(linksOf(bob), link('ada')),
    await support.post(linksOf(bob), link('ada')),
    await support.put(`${linksOf(bob)}/${own}`, link('ada')),
    await support.post(linksOf(bob), link('ada'), { prefer: 'dry-run' }),
  ]
  for (const { status, body } of refusals)
    expect([status, body.errors[0].meta]).toEqual([
      409,
      { ...expected, holder: { ...expected.holder, id: plain } },
    ])
  // Two texts with commas cannot be told apart, so nothing is said rather than something wrong.
  const { status, body: refusal } = await world.admin.post(linksOf(bob), link(subject))
  expect([status, refusal.errors[0].meta]).toEqual([409, undefined])
})

test('a seller learns whose a taken SKU and a taken username are, with commas and in another case', async () => {
  const product = (sku: string) => ({
    data: {
      type: 'product',
      attributes: {
        name: 'A chair',
        sku,
        slug: `${sku.length}-${Math.random()}`,
        status: 'live',
        commodity_type: 'physical',
      },
    },
  })
  const id = await idOf(world.admin.post('/pcm/products', product('chair, red, (large)')))
  const { body: refused } = await world.admin.post('/pcm/products', product('chair, red, (large)'))
  expect(refused.errors[0].meta).toMatchObject({ holder: { type: 'product', id } })

  const password_profile_id = await idOf(world.admin.post(`${realm}/password-profiles`, passwordProfile()))
  const [ada, bob] = [await newUser(), await newUser()]
  const passwords = (userId: string) =>
    `${realm}/user-authentication-info/${userId}/user-authentication-password-profile-info`
  const values = { password_profile_id, username: 'Ada, Marsh' }
  const held = await idOf(world.admin.post(passwords(ada), passwordLink(values)))
  const { body: taken } = await world.admin.post(
    passwords(bob),
    passwordLink({ ...values, username: 'ADA, marsh' }),
  )
  expect(taken.errors[0].meta).toEqual({
    holder: { type: 'user_authentication_password_profile_info', id: held },
    ...{ realm_id: realmId, user_authentication_info_id: ada },
  })
})

test('a shopper learns nothing of the holder, nor does a seller who acts for one', async () => {
  const customer = (email: string) =>
    body('customer', { name: 'Ada', email, password: 'eleven horses by the river' })
  const [first, second] = ['first@example.com', 'second@example.com']
  await world.admin.post('/v2/customers', customer(first))
  const own = await idOf(world.admin.post('/v2/customers', customer(second)))
  const { body: signedIn } = await world.shopper.post(
    '/v2/customers/tokens',
    body('token', { email: second, password: 'eleven horses by the river' }),
  )
  const token = { 'x-moltin-customer-token': signedIn.data.token }
  const refusals = [
    await world.shopper.post('/v2/customers', customer(first)),
    await world.shopper.put(`/v2/customers/${own}`, body('customer', { email: first }), token),
    await world.admin.put(`/v2/customers/${own}`, body('customer', { email: first }), token),
  ]
  for (const { status, body } of refusals) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body.errors[0].meta).toBeUndefined()
  }
})

test('the values of a key are read from what PostgreSQL says, or not at all', () => {
  const key = (values: string) => `Key (store_id, sku)=(${values}) already exists.`
  expect(valuesIn(key('1, a'), ['uuid', 'text'])).toEqual(['1', 'a'])
  expect(valuesIn(key('1, a, b)=(c'), ['uuid', 'text'])).toEqual(['1', 'a, b)=(c'])
  expect(valuesIn(key('1, a, b, 2'), ['uuid', 'text', 'uuid'])).toEqual(['1', 'a, b', '2'])
  expect(valuesIn(key('1, a, b, c'), ['uuid', 'text', 'text'])).toBeUndefined()
  expect(valuesIn('Something else.', ['uuid'])).toBeUndefined()
})
