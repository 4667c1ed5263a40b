import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FeedChange, readChanges } from '../../../server/kernel/feed/changes.ts'
import type { ClaimedJob } from '../../../server/telling/deliveries/claim.ts'
import { EventContents } from '../../../server/telling/deliveries/event-contents.ts'
import { eventsOf, storeFacts } from '../../../server/telling/events/events-of.ts'
import { lastPosition } from '../../builders/telling/derived-events.ts'
import { newAccount } from '../../builders/telling/hooks.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** A change, and two jobs of its event, each for another integration. */
async function jobsOfNewAccount() {
  const before = await lastPosition(world)
  await newAccount(world.admin, 'Riverside')
  await lastPosition(world)
  const [change] = (await readChanges(world.work.store, before, 1)) as [FeedChange]
  const [event] = eventsOf(change, await storeFacts(world.work))
  const jobs = ['first', 'second'].map((id) => ({ id, eventId: event?.id, key: event?.key }))
  return { change, jobs: jobs as unknown as [ClaimedJob, ClaimedJob] }
}

test('what an event shows is made once while messages of it are under way, and then forgotten', async () => {
  const { change, jobs } = await jobsOfNewAccount()
  const [first, second] = jobs
  const events = new EventContents()
  const content = await events.begin(world.work, first)(change)
  expect(JSON.parse(content?.payload ?? '')).toMatchObject({ data: { type: 'account', name: 'Riverside' } })
  // The bytes of a webhook are shared too.
  expect((await events.begin(world.work, second)(change))?.members).toBe(content?.members)
  events.end(first)
  expect(await events.begin(world.work, first)(change)).toBe(content)
  events.end(first)
  events.end(second)
  expect(events.size).toBe(0)
  expect(await events.begin(world.work, first)(change)).not.toBe(content)
})
