import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guest, guestBody, wrap } from '../builders/orders/buying.ts'
import { person, profile, signedIn } from '../builders/people/members.ts'
import { signUp } from '../builders/people/sign-up.ts'
import { openWorld, type World } from '../support/world.ts'

/** Who may order a cart, in whose name, and who learns that name. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Headers = Record<string, string>
const checkout = (cart: string, data: object, headers: Headers = {}, client = world.shopper) =>
  client.post(`${cart}/checkout`, { data: { billing_address: address, ...data } }, headers)

/** A cart with an item that has an owner. */
async function cartOf(type: 'customer' | 'account', id: string): Promise<string> {
  const cart = await filledCart(world.shopper)
  await world.admin.post(`${cart}/relationships/${type}s`, { data: [{ type, id }] })
  return cart
}

const newMember = async () => {
  const someone = await person(world, await profile(world.admin))
  return { ...someone, headers: await signedIn(world, someone) }
}

test('a cart of a customer is ordered by the customer and by sellers', async () => {
  const [ada, ben, member] = [await signUp(world), await signUp(world), await newMember()]
  const cart = await cartOf('customer', ada.id)
  const customer = { id: ada.id }
  const refused = [
    await checkout(cart, { customer }),
    await checkout(cart, { customer: guest }),
    await checkout(cart, { customer }, ben.headers),
    await checkout(cart, { contact: guest }, member.headers),
    await checkout(cart, { customer: guest }, ben.headers, world.admin),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  const dry = await checkout(cart, { customer: guest }, { prefer: 'dry-run' })
  expect(dry.status).toBe(403)
  const own = await checkout(cart, { customer }, ada.headers)
  expect([own.status, own.body.data.customer]).toEqual([201, { name: ada.name, email: ada.email }])
  const sold = await checkout(await cartOf('customer', ada.id), { customer }, {}, world.admin)
  expect([sold.status, sold.body.data.customer.email]).toEqual([201, ada.email])
})

test('a cart of an account is ordered by its members and by sellers', async () => {
  const [member, stranger, ada] = [await newMember(), await newMember(), await signUp(world)]
  const cart = await cartOf('account', member.home)
  const refused = [
    await checkout(cart, { customer: guest }),
    await checkout(cart, { customer: { id: ada.id } }, ada.headers),
    await checkout(cart, { contact: guest }, stranger.headers),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  const own = await checkout(cart, { contact: guest }, member.headers)
  expect([own.status, own.body.data.relationships.account.data.id]).toEqual([201, member.home])
  const body = { account: { id: member.home }, contact: guest }
  const sold = await checkout(await cartOf('account', member.home), body, {}, world.admin)
  expect([sold.status, sold.body.data.contact]).toEqual([201, guest])
})

test('a checkout without a buyer is a 400, also for the owner of the cart', async () => {
  const [ada, member] = [await signUp(world), await newMember()]
  const ofAda = await cartOf('customer', ada.id)
  const ofMember = await cartOf('account', member.home)
  const replies = [
    await checkout(ofAda, {}, ada.headers),
    await checkout(ofAda, {}, {}, world.admin),
    await checkout(ofMember, {}, member.headers),
    await checkout(ofMember, {}, {}, world.admin),
    await checkout(ofMember, { contact: guest }, {}, world.admin),
    await checkout(await filledCart(world.shopper), {}, ada.headers),
  ]
  expect(replies.map(({ status, body }) => [status, body.errors[0].source])).toEqual([
    [400, 'data.customer'],
    [400, 'data.customer'],
    [400, 'data.contact.name'],
    [400, 'data.customer'],
    [400, 'data.customer'],
    [400, 'data.customer'],
  ])
})

test('anyone may order for a customer by id, and only the customer and sellers read who that is', async () => {
  const [ada, ben] = [await signUp(world), await signUp(world)]
  for (const headers of [{}, ben.headers, { prefer: 'dry-run' }]) {
    const cart = await filledCart(world.shopper)
    const data = { customer: { id: ada.id } }
    const placed = await checkout(cart, data, headers)
    expect(placed.status).toBe(201)
    expect(JSON.stringify(placed.body)).not.toMatch(/Ada Marsh|ada-/)
    expect(placed.body.data.billing_address).toEqual(address)
    if ('prefer' in headers) continue
    // The same request again gets the same order, which shows no more than before.
    const again = await checkout(cart, data, headers)
    expect(again.body.data).toEqual(placed.body.data)
    const { id } = placed.body.data
    const customer = { name: ada.name, email: ada.email }
    expect((await world.admin.get(`/v2/orders/${id}`)).body.data.customer).toEqual(customer)
    expect((await world.shopper.get(`/v2/orders/${id}`, ada.headers)).body.data.customer).toEqual(customer)
    // Her own retry of the request shows who she is.
    expect((await checkout(cart, data, ada.headers)).body.data.customer).toEqual(customer)
    const payments = `/v2/orders/${id}/payments`
    const paid = await world.shopper.post(payments, { data: { gateway: 'manual', method: 'purchase' } })
    expect(JSON.stringify(paid.body)).not.toMatch(/Ada Marsh|ada-/)
  }
})

test('a guest reads the name that they have typed', async () => {
  const placed = await checkout(await filledCart(world.shopper), guestBody().data)
  expect(placed.body.data.customer).toEqual(guest)
})

test('a checkout that is repeated for an Idempotency-Key shows no more than it did, however long it is', async () => {
  const ada = await signUp(world)
  const items = Array.from({ length: 6 }, (_, i) => wrap({ sku: `WRAP ${i}`, description: 'd'.repeat(1000) }))
  const data = { customer: { id: ada.id } }
  const headers = { 'idempotency-key': randomUUID() }
  const cart = await filledCart(world.shopper, ...items)
  const placed = await checkout(cart, data, headers)
  const again = await checkout(cart, data, headers)
  expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([
    ...[201, 'true', placed.body],
  ])
  expect(placed.body.included.items).toHaveLength(6)
  expect(JSON.stringify(again.body)).not.toMatch(/Ada Marsh|ada-/)
  // Another shopper may read orders, but not this one.
  const ben = { ...(await signUp(world)).headers, 'idempotency-key': randomUUID() }
  const other = await filledCart(world.shopper, ...items)
  const { id } = (await checkout(other, data, ben)).body.data
  expect((await checkout(other, data, ben)).body).toEqual({ data: { type: 'order', id } })
})
