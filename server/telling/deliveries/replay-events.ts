import { readChanges } from '../../kernel/feed/changes.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import { keysInUse } from '../../kernel/work/queue.ts'
import { storeFacts } from '../events/events-of.ts'
import {
  changesMax,
  findObservers,
  jobsOf,
  positionOfDeliveries,
  queueJobs,
  tablesWithDocs,
} from './fan-out.ts'

interface Replay {
  /** Which of the replays of the store it is. */
  readonly place: number
  readonly integrationId: string
  /** The position before the next change. */
  readonly after: number
  /** The position of the last change. */
  readonly to: number
  /** The position of the feed when it was asked for. Earlier releases did not store it. */
  readonly askedAt?: number
}

/** So many events of a replay may wait at a time: a long one must not fill the database. */
const waitingMax = 1_000
const restMs = 1_000
/** How soon a replay looks again whether the deliveries have read the feed up to where it was asked for. */
const behindMs = 100
/** Replays of a store at a time: those whose target is slow would keep the workers from the jobs of other stores. */
export const replaysMax = 10

const keyOf = (place: number) => `replay ${place}`

const queueReplay = (work: Work, replay: Replay, at?: Date): Promise<void> =>
  work.later(replayEvents, replay, { key: keyOf(replay.place), ...(at && { at }) })

/** Begins a replay, in a transaction. Returns whether the store has a place for it. */
export async function beginReplay(work: Work, replay: Omit<Replay, 'place'>): Promise<boolean> {
  // One request at a time looks for a place.
  await work.store.advisoryLock('replays')
  const places = Array.from({ length: replaysMax }, (_, place) => place)
  const taken = await keysInUse(work, places.map(keyOf))
  const free = places.find((place) => !taken.has(keyOf(place)))
  if (free === undefined) return false
  await queueReplay(work, { ...replay, place: free })
  return true
}

/** How long a count of events goes on. */
const countsForMs = 2_000

/** How many events of a window an integration would be sent, and up to which position they have been counted. */
export async function countEvents(
  work: Work,
  { integrationId, after, to }: Pick<Replay, 'integrationId' | 'after' | 'to'>,
): Promise<{ readonly events: number; readonly reached: number }> {
  const { store } = work
  const observers = (await findObservers(store)).filter(({ id }) => id === integrationId)
  const facts = await storeFacts(work)
  const beganMs = performance.now()
  let [events, reached] = [0, after]
  while (reached < to && performance.now() - beganMs < countsForMs) {
    const changes = await readChanges(store, reached, changesMax, tablesWithDocs)
    const within = changes.filter(({ position }) => position <= to)
    events += jobsOf(within, facts, observers).length
    reached = within.length < changesMax ? to : (within.at(-1)?.position ?? to)
  }
  return { events, reached }
}

/** Makes the events of a window into jobs again, some changes at a time. */
export const replayEvents: Job<Replay> = {
  name: 'deliveries:replay-events',
  attemptsMax: 25,
  run: (work, { place, integrationId, after, to, askedAt = 0 }) =>
    work.transaction(async (inside) => {
      const { store, clock } = inside
      const observer = (await findObservers(store)).find(({ id }) => id === integrationId)
      if (!observer) return
      const [waiting] = await store.run(
        `SELECT count(*) FROM (SELECT FROM integration_jobs
           WHERE store_id = $1 AND integration_id = $2 AND state = 'waiting' LIMIT ${waitingMax}) w`,
        integrationId,
      )
      const next = (position: number, at?: Date) =>
        queueReplay(inside, { place, integrationId, after: position, to, askedAt }, at)
      const soon = (ms: number) => new Date(clock.now().getTime() + ms)
      if (Number(waiting?.[0]) >= waitingMax) return next(after, soon(restMs))
      // If the integration was disabled before, what waits is dropped when they have read that.
      if ((await positionOfDeliveries(store)) < askedAt) return next(after, soon(behindMs))
      const changes = await readChanges(store, after, changesMax, tablesWithDocs)
      const within = changes.filter(({ position }) => position <= to)
      await queueJobs(store, jobsOf(within, await storeFacts(inside), [observer]), clock.now(), true)
      const last = within.at(-1)
      if (last && last.position < to) await next(last.position)
    }),
}
