import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventSources } from '../../../server/telling/events/families.ts'
import { eventsAfter, keysOf } from '../../builders/telling/derived-events.ts'
import { fillStore } from '../../builders/tools/full-store.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

/** Families whose objects nobody creates by a list. Other tests of this folder derive their events. */
const notOfLists = ['payment-gateway', 'transaction', 'order', 'cart', 'catalog-release']

test('the events of a store with objects of all kinds keep the law of payloads', {
  timeout: 240_000,
}, async () => {
  for (const path of await fillStore(world)) {
    const [first] = (await world.admin.get(path)).body?.data ?? []
    if (first?.id) await world.admin.delete(`${path}/${first.id}`)
  }
  const keys = new Set(keysOf(await eventsAfter(world, 0)))
  const families = new Set([...keys].map((key) => key.split('.')[0]))
  const expected = eventSources.map(({ family }) => family).filter((family) => !notOfLists.includes(family))
  expect([...families]).toEqual(expect.arrayContaining(expected))
  expect([...keys].filter((key) => key.endsWith('.deleted')).length).toBeGreaterThan(8)
})
