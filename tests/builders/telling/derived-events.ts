import { expect } from 'vitest'
import { feedBounds, readChanges } from '../../../server/kernel/feed/changes.ts'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { eventsOf, storeFacts } from '../../../server/telling/events/events-of.ts'
import { webhookPayload } from '../../../server/telling/events/payload.ts'
import { payloadOf } from '../../../server/telling/events/payload-of.ts'
import type { World } from '../../support/world.ts'

/** An event with what a webhook is sent of it. */
export interface DerivedEvent {
  readonly key: string
  readonly id: string
  readonly subject: { readonly source: string; readonly id: string }
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a payload is what a test is about.
  readonly payload: any
}

/** The law of all payloads: the object as `data`. Deletions and one-time passwords have forms of their own. */
function expectForm(key: string, payload: object): void {
  const [family, ending] = key.split('.')
  if (ending === 'deleted') expect(Object.keys(payload).toSorted(), key).toEqual(['id', 'type'])
  else if (family === 'one-time-password-token-request') expect(payload, key).not.toHaveProperty('data')
  else {
    const members = family === 'order' ? ['data', 'included'] : ['data']
    expect(Object.keys(payload), key).toEqual(members)
    expect(payload, key).toHaveProperty('data.type', expect.any(String))
  }
}

/** The position of the last change. */
export async function lastPosition({ work }: World): Promise<number> {
  await sequence(work.store)
  return (await feedBounds(work.store)).last
}

/** The events of all changes after a position, as the delivery derives them. */
export async function eventsAfter({ work }: World, position: number): Promise<readonly DerivedEvent[]> {
  await sequence(work.store)
  const facts = await storeFacts(work)
  const derived: DerivedEvent[] = []
  for (const change of await readChanges(work.store, position, 10_000)) {
    for (const event of eventsOf(change, facts)) {
      const payload = await payloadOf(work, change, event)
      const { key, id, subject } = event
      if (!payload) continue
      const shown = JSON.parse(webhookPayload(payload))
      expectForm(key, shown)
      derived.push({ key, id, subject, payload: shown })
    }
  }
  return derived
}

/** The events that an action leads to. */
export async function eventsDuring(
  world: World,
  act: () => Promise<unknown>,
): Promise<readonly DerivedEvent[]> {
  const before = await lastPosition(world)
  await act()
  return eventsAfter(world, before)
}

export const keysOf = (events: readonly DerivedEvent[]): readonly string[] => events.map(({ key }) => key)
