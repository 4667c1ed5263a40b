import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, openWorld, type World } from '../../support/world.ts'

/** What a shopper writes into a cart has a limit in bytes. Sellers may write more. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const newCart = () => `/v2/carts/${crypto.randomUUID()}`
const item = (more: object) => ({
  ...{ type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 1 } },
  ...more,
})
const add = (client: Client, cart: string, data: unknown) => client.post(`${cart}/items`, { data })

/** Inputs of exactly this many bytes of JSON. */
function inputsOf(bytes: number, letter = 'é'): object {
  const text = letter.repeat(100)
  const perText = Buffer.byteLength(`"${text}",`)
  const empty = '{"texts":[""]}'.length
  const count = Math.floor((bytes - empty) / perText)
  const texts = Array<string>(count).fill(text)
  const inputs = { texts: [...texts, 'x'.repeat(bytes - empty - count * perText)] }
  expect(Buffer.byteLength(JSON.stringify(inputs))).toBe(bytes)
  return inputs
}

test('the inputs of an item by a shopper have at most 32,768 bytes', async () => {
  const cart = newCart()
  const fits = await add(world.shopper, cart, item({ custom_inputs: inputsOf(32_768) }))
  expect(fits.status).toBe(201)
  const path = `${cart}/items/${fits.body.data[0].id}`
  const custom_inputs = inputsOf(32_769)
  const change = { data: { type: 'custom_item', quantity: 1, custom_inputs } }
  const refused = [
    await add(world.shopper, cart, item({ custom_inputs })),
    await world.shopper.put(path, change),
  ]
  for (const { status, body } of refused) {
    expect([status, body.errors[0].source]).toEqual([400, 'data.custom_inputs'])
    expect(body.errors[0].detail).toContain('32768 bytes')
  }
  const list = await add(world.shopper, cart, [item({}), item({ custom_inputs })])
  expect([list.status, list.body.errors[0].source]).toEqual([201, 'data.1.custom_inputs'])
  const many = await world.shopper.put(`${cart}/items`, {
    data: [{ id: path.split('/').at(-1), custom_inputs }],
  })
  expect([many.status, many.body.errors[0].source]).toEqual([400, 'data.0.custom_inputs'])
  expect((await world.admin.put(path, change)).status).toBe(200)
  expect((await add(world.admin, cart, item({ custom_inputs: inputsOf(500_000) }))).status).toBe(201)
})

const part = () => item({ custom_inputs: inputsOf(30_000) })

test('a cart of a shopper has at most 262,144 bytes of what they write', async () => {
  const cart = newCart()
  const statuses: number[] = []
  for (let i = 0; i < 9; i++) statuses.push((await add(world.shopper, cart, part())).status)
  expect(statuses).toEqual([...Array(8).fill(201), 422])
  // Its own fields count, too.
  const description = 'x'.repeat(30_000)
  const described = await world.shopper.put(cart, { data: { description } })
  expect([described.status, described.body.errors[0].source]).toEqual([422, 'data'])
  const merged = newCart()
  await add(world.shopper, merged, part())
  const merge = await add(world.shopper, merged, { type: 'cart_items', cart_id: cart.split('/').at(-1) })
  expect(merge.status).toBe(422)
  expect((await world.admin.put(cart, { data: { description } })).status).toBe(200)
})

test('a shopper may shrink a cart that a seller has filled, and sellers may fill it up to 2,000,000 characters', async () => {
  const cart = newCart()
  for (const sku of ['A', 'B']) {
    expect((await add(world.admin, cart, item({ sku, custom_inputs: inputsOf(900_000, 'x') }))).status).toBe(
      201,
    )
  }
  expect((await add(world.admin, cart, item({ custom_inputs: inputsOf(900_000, 'x') }))).status).toBe(422)
  expect((await add(world.shopper, cart, item({}))).status).toBe(422)
  const [{ id }] = (await world.shopper.get(`${cart}/items`)).body.data
  const reduced = await world.shopper.put(`${cart}/items/${id}`, {
    data: { type: 'cart_item', custom_inputs: {} },
  })
  expect(reduced.status).toBe(200)
  expect((await world.shopper.delete(`${cart}/items/${id}`)).status).toBe(200)
})
