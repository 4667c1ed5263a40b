import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, person, profile, signedIn } from '../builders/people/members.ts'
import { signUp } from '../builders/people/sign-up.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let member: Person & { readonly headers: Record<string, string> }
beforeAll(async () => {
  world = await openWorld()
  const someone = await person(world, await profile(world.admin))
  member = { ...someone, headers: await signedIn(world, someone) }
})
afterAll(() => world.close())

const newCart = () => `/v2/carts/${crypto.randomUUID()}`
const linkTo = (type: 'customer' | 'account', id: string) => ({ type, id })
const pathOf = (type: 'customer' | 'account', cart = newCart()) => `${cart}/relationships/${type}s`

test('a cart is associated once, and with a deleted customer no longer', async () => {
  const ada = await signUp(world)
  const cart = newCart()
  const path = pathOf('customer', cart)
  const data = [linkTo('customer', ada.id)]
  const statuses = [
    (await world.shopper.post(path, { data }, ada.headers)).status,
    (await world.shopper.post(path, { data }, ada.headers)).status,
    (await world.admin.post(path, { data: [linkTo('customer', crypto.randomUUID())] })).status,
  ]
  expect(statuses).toEqual([200, 204, 404])
  await world.admin.delete(`/v2/customers/${ada.id}`)
  expect((await world.admin.get(cart)).body.data.relationships.customers).toEqual({})
})

test('a shopper associates a cart only with the owner that their token names', async () => {
  const [ada, ben] = [await signUp(world), await signUp(world)]
  const statusOf = async (type: 'customer' | 'account', id: string, headers = {}, client = world.shopper) => {
    const cart = newCart()
    const { status } = await client.post(pathOf(type, cart), { data: [linkTo(type, id)] }, headers)
    // A refused request leaves no cart behind.
    const { rows } = await world.sql('SELECT 1 FROM carts WHERE reference = $1', [cart.split('/').at(-1)])
    expect(rows.length).toBe(status === 200 ? 1 : 0)
    return status
  }
  expect({
    guest: [await statusOf('customer', ada.id), await statusOf('account', member.home)],
    unknown: [await statusOf('customer', crypto.randomUUID())],
    own: [
      await statusOf('customer', ada.id, ada.headers),
      await statusOf('customer', ada.id.toUpperCase(), ada.headers),
      await statusOf('account', member.home, member.headers),
    ],
    others: [
      await statusOf('customer', ben.id, ada.headers),
      await statusOf('account', member.home, ada.headers),
      await statusOf('customer', ada.id, member.headers),
      await statusOf('account', ada.id, member.headers),
    ],
    seller: [
      await statusOf('customer', ada.id, {}, world.admin),
      await statusOf('account', member.home, {}, world.admin),
    ],
    // A server that passes on a shopper's token acts for that shopper.
    sellerForAda: [
      await statusOf('customer', ada.id, ada.headers, world.admin),
      await statusOf('customer', ben.id, ada.headers, world.admin),
    ],
  }).toEqual({
    guest: [403, 403],
    unknown: [403],
    own: [200, 200, 200],
    others: [403, 403, 403, 403],
    seller: [200, 200],
    sellerForAda: [200, 403],
  })
})

test.each(['customer', 'account'] as const)('a body that is not a list of one %s is a 403', async (type) => {
  const own = type === 'customer' ? await signUp(world) : { id: member.home, headers: member.headers }
  const [one, two] = [linkTo(type, own.id), linkTo(type, crypto.randomUUID())]
  for (const method of ['POST', 'DELETE'] as const) {
    for (const data of [[one, two], one]) {
      const options = { body: JSON.stringify({ data }), headers: own.headers }
      const { status, body } = await world.shopper.send(method, pathOf(type), options)
      expect([status, body.errors[0].source]).toEqual([403, 'data'])
    }
  }
})

test('a guest who knows the id of a cart takes the association off, and cannot put it on again', async () => {
  const ada = await signUp(world)
  const path = pathOf('customer')
  const data = [linkTo('customer', ada.id)]
  await world.shopper.post(path, { data }, ada.headers)
  const removed = await world.shopper.send('DELETE', path, { body: JSON.stringify({ data }) })
  const added = await world.shopper.post(path, { data })
  expect([removed.status, added.status]).toEqual([204, 403])
})

test('a cart has at most 100 customers', async () => {
  const { id } = await signUp(world)
  await world.shopper.put('/v2/carts/everyones', { data: { name: 'Everyone’s' } })
  const others = JSON.stringify(Array.from({ length: 100 }, () => crypto.randomUUID()))
  await world.sql(
    `UPDATE carts SET hidden = (hidden::jsonb || jsonb_build_object('customers', $2::jsonb))::json
     WHERE store_id = $1 AND reference = 'everyones'`,
    [world.storeId, others],
  )
  const data = [linkTo('customer', id)]
  const { status, body } = await world.admin.post('/v2/carts/everyones/relationships/customers', { data })
  expect([status, body.errors[0].title]).toEqual([422, 'Limit Reached'])
})
