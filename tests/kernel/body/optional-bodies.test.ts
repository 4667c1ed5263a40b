import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = '/pcm/products/export'

test.each(['"AAA"', '0', 'null', '[]', 'true'])('%s is not accepted as an optional body', async (body) => {
  const { status, body: refused } = await world.admin.send('POST', path, { body })
  expect([status, refused.errors[0].source]).toEqual([400, 'data'])
})

test.each([undefined, '', '{}'])('%s is accepted as a body without values', async (body) => {
  const { status } = await world.admin.send('POST', path, body === undefined ? {} : { body })
  expect(status).toBe(201)
})
