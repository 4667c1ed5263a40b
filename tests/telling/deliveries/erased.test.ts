import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody } from '../../builders/orders/buying.ts'
import { erase, makeCustomer, placesOf } from '../../builders/personal-data/people.ts'
import { openHook } from '../../builders/telling/hooks.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const observed = ['customer.created', 'customer.deleted', 'address.created', 'address.updated']

test('an erasure finds what targets have answered about a person', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const hook = await openHook(world.admin, observed)
  // It repeats what it was sent, also where it fails.
  hook.answer = ({ text, body }, response) =>
    void response.writeHead(body.triggered_by === 'address.created' ? 500 : 200).end(text.slice(0, 4_000))
  const { customer } = await makeCustomer(world.admin, name)
  const bystander = await makeCustomer(world.admin, 'someone-else')
  await until(async () =>
    (await world.admin.get(`${hook.path}/logs`)).body.data.length >= 4 ? true : undefined,
  )
  expect((await placesOf(world, name)).join()).toMatch(/integration_logs/)
  await erase(world.admin, 'customer', customer.id)
  expect(await placesOf(world, name)).toEqual([])
  const deletion = await until(async () =>
    hook.requests.find(({ body }) => body.triggered_by === 'customer.deleted'),
  )
  expect(deletion.body.payload).toEqual({ type: 'customer', id: customer.id })
  // Nothing more is sent about the address, and others keep their logs.
  const jobs = await until(async () => {
    const all = await hook.jobs()
    return all.some(({ event, state }) => event.key === 'customer.deleted' && state !== 'waiting')
      ? all
      : undefined
  })
  expect(jobs.map(({ event, state, reason }) => [event.key, state, reason])).toEqual(
    expect.arrayContaining([
      ['customer.created', 'succeeded', 'The data of the event was erased.'],
      ['address.created', 'dropped', 'The data of the event was erased.'],
      ['customer.created', 'succeeded', undefined],
    ]),
  )
  const bodies = (await world.admin.get(`${hook.path}/logs`)).body.data.map(
    (log: { body: string }) => log.body,
  )
  expect(bodies.join()).toContain(bystander.customer.id)
  await hook.remove()
})

test('an attempt that ends after the erasure stores no response', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const hook = await openHook(world.admin, ['customer.created'])
  const held: (() => ServerResponse)[] = []
  hook.answer = ({ text }, response) => void held.push(() => response.end(text.slice(0, 4_000)))
  const { customer } = await makeCustomer(world.admin, name)
  const end = await until(async () => held[0])
  await erase(world.admin, 'customer', customer.id)
  end()
  const log = await until(async () => (await world.admin.get(`${hook.path}/logs`)).body.data[0])
  expect(log).toMatchObject({ succeeded: true, status_code: 200, body: '' })
  expect(await placesOf(world, name)).toEqual([])
  expect((await hook.jobs()).map(({ state }) => state)).toEqual(['dropped'])
  await hook.remove()
})

test('an erasure finds what targets have answered about the orders of a person', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const hook = await openHook(world.admin, ['order.created'])
  hook.answer = ({ text }, response) => void response.end(text.slice(0, 4_000))
  const { customer } = await makeCustomer(world.admin, name)
  const cart = await filledCart(world.shopper)
  const body = guestBody({ customer: { id: customer.id } })
  expect((await world.admin.post(`${cart}/checkout`, body)).status).toBe(201)
  await hook.ended(1)
  expect((await placesOf(world, name)).join()).toMatch(/integration_logs/)
  await erase(world.admin, 'customer', customer.id)
  expect((await placesOf(world, name)).join()).not.toMatch(/integration_logs/)
  await hook.remove()
})

test('orders that are anonymized leave nothing in the logs, and the anonymization is sent', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const hook = await openHook(world.admin, ['order.created', 'order.updated'])
  hook.answer = ({ text }, response) => void response.end(text.slice(0, 4_000))
  const cart = await filledCart(world.shopper)
  const customer = { name, email: `${name}@example.com` }
  const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody({ customer }))).body.data
  await world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  await hook.ended(2)
  expect((await placesOf(world, name)).join()).toMatch(/integration_logs/)
  hook.forget()
  expect((await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [id] } })).status).toBe(200)
  expect((await placesOf(world, name)).join()).not.toMatch(/integration_logs/)
  const [sent] = await hook.got(1)
  expect(sent?.body.payload.data.customer.name).toBe('**')
  await hook.remove()
})
