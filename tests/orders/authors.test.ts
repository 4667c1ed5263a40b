import { afterAll, beforeAll, expect, test } from 'vitest'
import { order } from '../builders/orders/buying.ts'
import { act, paid, takeManualPayments } from '../builders/payments/paying.ts'
import { colleagueOf } from '../builders/people/colleagues.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

test('an order, a capture and a cancellation by a colleague name them in the audit and in the feed', async () => {
  const { client, userId, email } = await colleagueOf(world, 'Support')
  const { last: start } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const bought = await order(client)
  const transaction = await paid(client, bought.id, { method: 'authorize' })
  expect((await act(client, transaction, 'capture')).status).toBe(200)
  const cancelled = await order(client)
  const cancel = { data: { type: 'order', status: 'cancelled' } }
  expect((await client.put(`/v2/orders/${cancelled.id}`, cancel)).status).toBe(200)

  for (const id of [bought.id, transaction.id, cancelled.id]) {
    const entries: Any[] = (await world.admin.get(`/v2/audit?filter=eq(id,${id})`)).body.data
    expect(entries.length, id).toBeGreaterThan(1)
    for (const { event, initiator } of entries)
      expect([event, initiator]).toEqual([
        event,
        expect.objectContaining({
          'access-token-id': userId,
          'access-token-type': 'colleague-token',
          'access-token-name': 'Ada Marsh',
          'access-token-email': email,
        }),
      ])
  }
  const ids = [bought.id, transaction.id, cancelled.id]
  const feed = await world.admin.get(`/v2/changes?page[after]=${start}&filter=in(id,${ids})`)
  const changes: Any[] = feed.body.data
  expect(new Set(changes.map(({ object }) => object.id))).toEqual(new Set(ids))
  for (const { event, actor } of changes) expect([event, actor]).toEqual([event, userId])
})
