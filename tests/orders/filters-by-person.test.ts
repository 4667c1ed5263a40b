import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guestBody } from '../builders/orders/buying.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const found = async (filter: string): Promise<readonly string[]> => {
  const { status, body } = await world.admin.get(`/v2/orders?filter=${encodeURIComponent(filter)}`)
  expect([filter, status, body.errors]).toEqual([filter, 200, undefined])
  expect(body.meta.results.total).toBe(body.data.length)
  return body.data.map(({ id }: Any) => id)
}

async function bought(more: object): Promise<string> {
  const { status, body } = await world.admin.post(
    `${await filledCart(world.admin)}/checkout`,
    guestBody(more),
  )
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}

test('email addresses are compared without case', async () => {
  const id = await bought({ customer: { name: 'Zoë', email: 'Zoe.Smith@Example.COM' } })
  for (const field of ['email', 'customer.email']) {
    expect(await found(`eq(${field},zoe.smith@example.com)`)).toEqual([id])
    expect(await found(`eq(${field},ZOE.SMITH@EXAMPLE.COM)`)).toEqual([id])
    expect(await found(`in(${field},nobody@example.com,zoe.SMITH@example.com)`)).toEqual([id])
    for (const pattern of ['zoe.smith@*', '*SMITH@example.com', '*.smith@EX*', 'zoe.smith@example.com']) {
      expect(await found(`like(${field},${pattern})`)).toEqual([id])
    }
    expect(await found(`eq(${field},zoe.smith@example.org)`)).toEqual([])
  }
})

test('the email address of the contact of an account is compared without case', async () => {
  const account = (await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'Bakery' } })).body
    .data.id
  const contact = { name: 'Ben', email: 'Ben@Bakery.example' }
  const id = await bought({ customer: undefined, account: { id: account }, contact })
  expect(await found('eq(contact.email,ben@bakery.example)')).toEqual([id])
  expect(await found('like(contact.email,BEN@*)')).toEqual([id])
})

test('orders are found by the names in their addresses', async () => {
  const shipping_address = { ...address, first_name: 'Mary', last_name: 'Somerville' }
  const id = await bought({ shipping_address })
  expect(await found('eq(shipping_name,Mary Somerville)')).toEqual([id])
  expect(await found('like(shipping_name,*Somerville)')).toEqual([id])
  expect(await found('eq(shipping_name,Mary Somerville):eq(billing_name,Ada Byron)')).toEqual([id])
  expect(await found('eq(billing_name,Mary Somerville)')).toEqual([])
})
