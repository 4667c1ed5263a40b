import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deallocate, ship } from '../../../server/assortment/index.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import {
  act,
  level,
  makeLocation,
  makeStock,
  mustAgree,
  stockOf,
  take,
} from '../../builders/assortment/stock.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  for (const slug of ['north', 'south']) await makeLocation(world.admin, slug)
})
afterAll(() => world.close())

const writers = 32

test('each of the last ten is allocated to one buyer', async () => {
  const id = await makeStock(world.admin, { locations: { north: { available: 10 } } })
  const replies = await Promise.all(
    Array.from({ length: writers }, () => act(world.admin, id, 'allocate', 1, 'north')),
  )
  expect(replies.filter(({ status }) => status === 200).length).toBe(10)
  expect(replies.filter(({ status }) => status !== 200 && status !== 422)).toEqual([])
  expect(await stockOf(world.admin, id)).toMatchObject(level(0, 10))
})

test('allocations of several products, in any order, do not deadlock', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => makeStock(world.admin, { available: 100 })))
  const orders = Array.from({ length: writers }, (_, n) => {
    const turned = ids.map((_, i) => ids[(i * (n % 2 ? 1 : 3) + n) % ids.length] as string)
    return turned.map((productId) => ({ productId, quantity: 5 }))
  })
  const done = await Promise.allSettled(orders.map((portions) => take(world.work, portions)))
  expect(done.filter(({ status }) => status === 'fulfilled').length).toBe(20)
  for (const one of done) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Problem)
  for (const id of ids) expect(await stockOf(world.admin, id)).toMatchObject(level(0, 100))
})

const step = fc.record({
  what: fc.constantFrom('increment', 'decrement', 'allocate', 'deallocate', 'set', 'order', 'cancel', 'send'),
  product: fc.nat(1),
  quantity: fc.nat(6),
  location: fc.constantFrom(undefined, 'north', 'south'),
})

/** What it opens of allocations. */
const opens: Readonly<Record<string, number>> = {
  allocate: 1,
  order: 1,
  deallocate: -1,
  cancel: -1,
  send: -1,
}
const byOrders = { order: take, cancel: deallocate, send: ship } as const

test('after 32 concurrent writers, stock is the sum of the successful transactions, and allocated stock the sum of the open ones', async () => {
  const race = fc.asyncProperty(fc.array(step, { minLength: writers, maxLength: writers }), async (steps) => {
    const ids = await Promise.all(
      [1, 2].map(() => makeStock(world.admin, { available: 10, locations: { north: { available: 4 } } })),
    )
    const open = new Map(ids.map((id) => [id, 0]))
    await Promise.all(
      steps.map(async ({ what, product, quantity, location }) => {
        const id = ids[product] as string
        const by = byOrders[what as keyof typeof byOrders]
        const done = by
          ? await by(world.work, [{ productId: id, quantity, location }]).then(
              () => true,
              () => false,
            )
          : (await act(world.admin, id, what, quantity, location)).status === 200
        if (done) open.set(id, (open.get(id) ?? 0) + (opens[what] ?? 0) * quantity)
      }),
    )
    for (const id of ids) expect((await stockOf(world.admin, id)).allocated).toBe(open.get(id))
    await mustAgree(world)
  })
  await fc.assert(race, { numRuns: tries(3, 6) })
})
