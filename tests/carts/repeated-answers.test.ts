import { afterAll, beforeAll, expect, test } from 'vitest'
import { signUp } from '../builders/people/sign-up.ts'
import { tokenOf } from '../support/client.ts'
import { openWorld, type World } from '../support/world.ts'

/** A response that is repeated for an Idempotency-Key shows its caller no more of a cart than a read would. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** A response too long to be stored where the server reads the object again, and one too long for any. */
const long = 'é'.repeat(10_000)
const longest = 'é'.repeat(60_000)
const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const isReplay = (headers: Headers) => headers.get('idempotency-replayed') === 'true'
const newCart = () => `/v2/carts/${crypto.randomUUID()}`
const put = (cart: string, description: string, headers: object, client = world.shopper) =>
  client.send('PUT', cart, { body: JSON.stringify({ data: { description } }), headers: { ...headers } })
const change = async (cart: string, data: object) =>
  expect((await world.admin.put(cart, { data })).status).toBe(200)

async function giveTo(cart: string, from: { id: string }, to: { id: string }) {
  const link = (id: string) => ({ data: [{ type: 'customer', id }] })
  const path = `${cart}/relationships/customers`
  const body = JSON.stringify(link(from.id))
  expect((await world.admin.send('DELETE', path, { body })).status).toBe(204)
  expect((await world.admin.post(path, link(to.id))).status).toBe(200)
}

test.for([
  ['its first response', long],
  ['no more than the id', longest],
])('after a cart has got another owner, a repeated request gets %s', async ([, text]) => {
  const [ada, ben] = [await signUp(world), await signUp(world)]
  const [cart, key] = [newCart(), newKey()]
  const first = await put(cart, text as string, { ...ben.headers, ...key })
  expect(first.status).toBe(200)
  await giveTo(cart, ben, ada)
  await change(cart, { name: 'Of Ada' })
  expect((await world.shopper.get(cart, ben.headers)).status).toBe(403)
  const again = await put(cart, text as string, { ...ben.headers, ...key })
  expect([again.status, isReplay(again.headers)]).toEqual([200, true])
  const { type, id } = first.body.data
  expect(again.body).toEqual(text === long ? first.body : { data: { type, id } })
  // A key with the secret reads the cart as it is now.
  const seller = newKey()
  await put(cart, long, seller, world.admin)
  await change(cart, { name: 'Of Ada now' })
  expect((await put(cart, long, seller, world.admin)).body.data.name).toBe('Of Ada now')
})

test('a repeated request does not show the future prices that a seller looks at in the cart', async () => {
  const [cart, key] = [newCart(), newKey()]
  const first = await put(cart, long, key)
  await change(cart, { snapshot_date: '2099-01-01T00:00:00Z' })
  expect((await world.shopper.get(cart)).status).toBe(403)
  expect((await put(cart, long, key)).body).toEqual(first.body)
})

test('another token with the same key gets nothing of the response', async () => {
  const [ada, ben] = [await signUp(world), await signUp(world)]
  const [cart, key] = [newCart(), newKey()]
  expect((await put(cart, long, { ...ada.headers, ...key })).status).toBe(200)
  const guest = world.clientWith(await tokenOf(world.url, world.key.id, world.key.secret, 'implicit'))
  const others = [
    await put(cart, long, { ...ben.headers, ...key }),
    await put(cart, long, key),
    await put(cart, long, key, guest),
    await put(cart, long, key, world.admin),
  ]
  // Whoever knows the id of a cart may write it, but a customer only their own.
  expect(others.map(({ status, headers }) => [status, isReplay(headers)])).toEqual([
    [403, false],
    [200, false],
    [200, false],
    [200, false],
  ])
  const again = await put(cart, long, { ...ada.headers, ...key })
  expect([again.status, isReplay(again.headers)]).toEqual([200, true])
})
