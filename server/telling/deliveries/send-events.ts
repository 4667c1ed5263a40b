import { setTimeout as sleep } from 'node:timers/promises'
import { isTemporary } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Instance } from '../../kernel/work/context.ts'
import { openNetwork } from '../targets/network.ts'
import { Engine } from './engine.ts'
import { fanOut } from './fan-out.ts'
import { workOfDeliveries } from './work-of-deliveries.ts'

/** Makes jobs of the changes of all stores, and sends them. */
export const sendEvents: Background = {
  name: 'deliveries:send-events',
  start(instance) {
    const network = openNetwork(instance.maySendTo)
    const engine = new Engine(instance, network)
    const stopping = new AbortController()
    const following = followFeed(instance, (storeId, ids) => engine.wake(storeId, ids), stopping.signal)
    return {
      async stop() {
        stopping.abort()
        await following
        await engine.stop()
        network.close()
      },
    }
  },
}

/** How soon changes are noticed that another process has left behind. */
const pollMs = { min: 2_000, max: 10_000 } as const
/** The poll compares two positions of every store. Where that takes long, this is its share of the time. */
const pollShare = 1 / 50
/** The rest after a pass, in which changes gather. Where nobody observes anything, they may gather for longer. */
const restMs = { observed: 20, unobserved: 250 } as const
const busyMs = 100
const failedMs = 1_000

/** Called with the integrations of a store that have new jobs. */
type OnQueued = (storeId: string, integrationIds: readonly string[]) => void

/** Makes the changes of all stores into jobs, until the signal aborts. Ends when its last pass has. */
async function followFeed(instance: Instance, onQueued: OnQueued, signal: AbortSignal): Promise<void> {
  let behind = new Set<string>()
  let wake = () => {}
  const stopListening = instance.feed.onChange((storeIds) => {
    for (const id of storeIds) behind.add(id)
    wake()
  })
  const rest = async (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  let pollAtMs = 0
  while (!signal.aborted) {
    try {
      const beganMs = performance.now()
      if (beganMs >= pollAtMs) {
        for (const id of await findBehind(instance)) behind.add(id)
        const endedMs = performance.now()
        const pauseMs = (endedMs - beganMs) / pollShare
        pollAtMs = endedMs + Math.min(pollMs.max, Math.max(pollMs.min, pauseMs))
      }
      const stores = [...behind]
      behind = new Set()
      const observed = await skipUnobserved(instance, stores)
      for (const id of observed) if (await readOn(instance, id, onQueued)) behind.add(id)
      if (stores.length) await rest(observed.length ? restMs.observed : restMs.unobserved)
    } catch (error) {
      if (!isTemporary(error))
        instance.log.error({ err: error }, 'cannot read the change feed for integrations')
      pollAtMs = 0
      await rest(failedMs)
    }
    if (behind.size || signal.aborted) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    await Promise.race([promise, rest(Math.max(0, pollAtMs - performance.now()))])
  }
  stopListening()
}

/** Reads a store's feed to its end. Returns whether another process is doing so. */
async function readOn(instance: Instance, storeId: string, onQueued: OnQueued): Promise<boolean> {
  const work = workOfDeliveries(instance, storeId)
  for (;;) {
    const round = await fanOut(work)
    if (round.integrationIds.length) onQueued(storeId, round.integrationIds)
    if (!round.hasMore) return false
    if (round.isBusy) {
      await sleep(busyMs)
      return true
    }
  }
}

async function findBehind({ database }: Instance): Promise<readonly string[]> {
  const rows = await database.run({
    text: `SELECT f.store_id FROM feeds f
           LEFT JOIN feed_readers r ON r.store_id = f.store_id AND r.reader = 'deliveries'
           WHERE f.position > coalesce(r.position, 0)`,
    values: [],
  })
  return rows.map(([id]) => id as string)
}

/**
 * Passes over the changes of stores without observers, where no job waits. Returns the other stores. What was observed
 * for a moment meanwhile is left out: the end of an integration drops it anyway.
 */
async function skipUnobserved(
  { database }: Instance,
  storeIds: readonly string[],
): Promise<readonly string[]> {
  if (!storeIds.length) return []
  const rows = await database.run({
    text: `WITH skipped AS (
             SELECT f.store_id, f.position FROM feeds f
             WHERE f.store_id = ANY($1::uuid[])
               AND NOT EXISTS (SELECT FROM integrations i WHERE i.store_id = f.store_id AND i.enabled)
               AND NOT EXISTS (SELECT FROM feed_readers o WHERE o.store_id = f.store_id AND o.reader = 'deliveries'
                 AND o.observers::text <> '{}')
               AND NOT EXISTS (SELECT FROM integration_jobs j WHERE j.store_id = f.store_id AND j.state = 'waiting')
           ), moved AS (
             INSERT INTO feed_readers AS r (store_id, reader, position, observers)
             SELECT store_id, 'deliveries', position, '{}' FROM skipped
             ON CONFLICT (store_id, reader) DO UPDATE SET position = excluded.position, observers = excluded.observers
             WHERE r.position < excluded.position
           )
           SELECT store_id FROM skipped`,
    values: [storeIds],
  })
  const skipped = new Set(rows.map(([id]) => id))
  return storeIds.filter((id) => !skipped.has(id))
}
