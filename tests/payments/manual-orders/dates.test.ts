import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, guest } from '../../builders/orders/buying.ts'
import { takeManualPayments } from '../../builders/payments/paying.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

const enter = (created_at: unknown, more: object = {}) =>
  world.admin.post('/v2/orders', {
    data: {
      ...{ type: 'order', customer: guest, billing_address: address, ...more },
      meta: { timestamps: { created_at }, display_price: { with_tax: { amount: 700 } } },
    },
  })

const entered = async (created_at?: string, more?: object): Promise<Any> => {
  const { status, body } = await enter(created_at, more)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}

const listed = async (query: string): Promise<Any> => (await world.admin.get(`/v2/orders?${query}`)).body
const idsIn = ({ data }: Any): string[] => data.map(({ id }: Any) => id)

test('an order keeps the date that its seller gives, and lists go by it', async () => {
  const old = await entered('2021-03-04T05:06:07.890+01:00', { payment: 'paid' })
  const later = await entered('2023-01-01T00:00:00Z')
  const now = await entered()
  expect(old.meta.timestamps.created_at).toBe('2021-03-04T04:06:07Z')
  const today = now.meta.timestamps.created_at.slice(0, 10)
  expect(old.meta.timestamps.updated_at.slice(0, 10)).toBe(today)
  const read = (await world.admin.get(`/v2/orders/${old.id}`)).body.data
  expect(read.meta.timestamps).toEqual(old.meta.timestamps)

  expect(idsIn(await listed('sort=created_at'))).toEqual([old.id, later.id, now.id])
  const page = await listed('sort=created_at&page[limit]=1&page[offset]=1')
  expect([idsIn(page), page.meta.results.total]).toEqual([[later.id], 3])
  const year = await listed('filter=ge(created_at,2021-01-01):lt(created_at,2022-01-01)')
  expect([idsIn(year), year.meta.results.total]).toEqual([[old.id], 1])
  // Followers go by the time of the write.
  expect((await listed(`filter=ge(updated_at,${today})`)).meta.results.total).toBe(3)

  await world.admin.delete(`/v2/orders/${old.id}`)
  expect((await listed('filter=lt(created_at,2022-01-01)')).meta.results.total).toBe(0)
})

test.each([['2190-01-01T00:00:00Z'], ['yesterday'], ['2021-02-31T00:00:00Z'], [7]])(
  'the date %s is refused',
  async (date) => {
    const { status, body } = await enter(date)
    expect([status, body.errors[0].source]).toEqual([400, 'data.meta.timestamps.created_at'])
  },
)
