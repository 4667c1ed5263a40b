import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasureRequests, makeCustomer } from '../../builders/personal-data/people.ts'
import { eventsAfter, keysOf, lastPosition } from '../../builders/telling/derived-events.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('no event shows a person who is erased, and their deletion still has one', async () => {
  const before = await lastPosition(world)
  const name = `q${randomUUID().slice(0, 8)}`
  const { customer } = await makeCustomer(world.admin, name)
  const bystander = await makeCustomer(world.admin, 'someone-else')
  expect(JSON.stringify(await eventsAfter(world, before))).toContain(name)

  const subject = { resource_type: 'customer', resource_id: customer.id }
  const { body } = await world.admin.post(erasureRequests, { data: { type: 'erasure_request', ...subject } })
  await until(async () => {
    const { data } = (await world.admin.get(`${erasureRequests}/${body.data.id}`)).body
    return data.status === 'SUCCESS' ? data : undefined
  })
  const left = await eventsAfter(world, before)
  expect(JSON.stringify(left)).not.toContain(name)
  const ofCustomer = left.filter(({ subject: { id } }) => id === customer.id)
  expect(ofCustomer.map(({ key, payload }) => [key, payload])).toEqual([
    ['customer.deleted', { type: 'customer', id: customer.id }],
  ])
  expect(keysOf(left.filter(({ subject: { id } }) => id === bystander.customer.id))).toEqual([
    'customer.created',
  ])
})
