import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, address } from '../../builders/people/accounts.ts'
import { customer, customers } from '../../builders/people/customers.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let customerId: string
let addresses: string
beforeAll(async () => {
  world = await openWorld()
  customerId = await idOf(world.admin.post(customers, customer()))
  addresses = `${customers}/${customerId}/addresses`
})
afterAll(() => world.close())

test('an address names its customer, and an update keeps the fields that are not sent', async () => {
  const { status, body: one } = await world.admin.post(addresses, address({ country: 'gb', name: 'Home' }))
  expect(status).toBe(201)
  const { id, ...data } = one.data
  expect(data).toMatchObject({
    type: 'address',
    name: 'Home',
    country: 'GB',
    relationships: { customer: { id: customerId, type: 'customer' } },
    links: { self: `${world.url}${addresses}/${id}` },
  })
  const updated = await world.admin.put(`${addresses}/${id}`, body('address', { city: 'Ely' }))
  expect(updated.body.data).toMatchObject({ city: 'Ely', name: 'Home', line_1: '12 Mill Lane' })
  const list = await world.admin.get(`${addresses}?filter=eq(city,Ely)`)
  expect(list.body.data).toEqual([updated.body.data])
  expect((await world.admin.delete(`${addresses}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${addresses}/${id}`)).status).toBe(404)
})

test('an address is found below its own customer only', async () => {
  const id = await idOf(world.admin.post(addresses, address()))
  const neighbour = await idOf(world.admin.post(customers, customer()))
  const business = await idOf(world.admin.post('/v2/accounts', account()))
  const elsewhere = [
    world.admin.get(`${customers}/${neighbour}/addresses/${id}`),
    world.admin.get(`/v2/accounts/${business}/addresses/${id}`),
    world.admin.get(`/v2/accounts/${customerId}/addresses`),
    world.other.get(`${addresses}/${id}`),
    world.other.put(`${addresses}/${id}`, address()),
    world.other.delete(`${addresses}/${id}`),
  ]
  expect(await statuses(elsewhere)).toEqual({ 404: elsewhere.length })
  const nobody = `${customers}/${randomUUID()}/addresses`
  for (const reply of [world.admin.get(nobody), world.admin.post(nobody, address())]) {
    expect((await reply).body.errors[0]).toMatchObject({
      status: '404',
      detail: expect.stringMatching(/^customer not found: /),
    })
  }
  await world.admin.delete(`${addresses}/${id}`)
})

test.each([
  ['first_name', undefined],
  ['postcode', ' '],
  ['country', 'GBR'],
  ['city', 7],
])('an address with %s %j is refused, and the field is named', async (field, value) => {
  const { status, body: answer } = await world.admin.post(addresses, address({ [field]: value }))
  expect([status, answer.errors[0].source]).toEqual([400, `data.${field}`])
})

test('a customer has at most as many addresses as the setting allows, also under concurrent creates', async () => {
  const setting = (shopper_address_limit: number) =>
    world.admin.put('/v2/settings', body('settings', { shopper_address_limit }))
  await setting(5)
  expect(await statuses(times(12, () => world.admin.post(addresses, address())))).toEqual({ 201: 5, 422: 7 })
  const { body: list } = await world.admin.get(addresses)
  expect(list.meta.results.total).toBe(5)
  const other = await idOf(world.admin.post(customers, customer()))
  expect((await world.admin.post(`${customers}/${other}/addresses`, address())).status).toBe(201)
  await world.admin.delete('/v2/settings')
})

test('a customer who is deleted while addresses are created leaves no address', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await idOf(world.admin.post(customers, customer()))
    const [gone, ...added] = await Promise.all([
      world.admin.delete(`${customers}/${id}`),
      ...times(3, () => world.admin.post(`${customers}/${id}/addresses`, address())),
    ])
    expect(gone.status).toBe(204)
    for (const { status } of added) expect([201, 404]).toContain(status)
    const { rows } = await world.sql('SELECT 1 FROM customer_addresses WHERE customer_id = $1', [id])
    expect(rows).toEqual([])
  }
})
