import { eventsOf, type StoreEvent, type StoreFacts, storeFacts } from '../events/index.ts'
import { type Change, readChanges } from '../kernel/feed/changes.ts'
import { idFrom } from '../kernel/ids.ts'
import type { Store } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'

/** An integration, as far as it matters which events it gets. */
export interface Observer {
  readonly id: string
  readonly observes: readonly string[]
}

/** A job before it is stored. */
export interface NewJob {
  readonly id: string
  readonly integration_id: string
  readonly event_id: string
  readonly key: string
  readonly source: string
  readonly subject_id: string
  readonly position: number
}

/** The jobs that changes make, for those who observe their events. The same changes always make the same jobs. */
export function jobsOf(
  changes: readonly Change[],
  facts: StoreFacts,
  observers: readonly Observer[],
): readonly NewJob[] {
  const toJobs = ({ id: event_id, key, position, subject }: StoreEvent) =>
    observers
      .filter(({ observes }) => observes.includes(key))
      .map(({ id: integration_id }) => ({
        ...{ id: idFrom(`${integration_id} ${event_id}`), integration_id, event_id, key, position },
        ...{ source: subject.source, subject_id: subject.id },
      }))
  return changes.flatMap((change) => eventsOf(change, facts).flatMap(toJobs))
}

/** The enabled integrations of a store. */
export async function findObservers(store: Store): Promise<readonly Observer[]> {
  const rows = await store.run(
    `SELECT id, doc->>'observes' FROM integrations WHERE store_id = $1 AND enabled ORDER BY id`,
  )
  return rows.map(([id, observes]) => ({
    id: id as string,
    observes: JSON.parse(observes ?? '[]') as readonly string[],
  }))
}

/** Stores jobs. With `again`, those that have ended begin anew. Returns how many wait because of it. */
export async function queueJobs(
  store: Store,
  jobs: readonly NewJob[],
  now: Date,
  again = false,
): Promise<number> {
  if (!jobs.length) return 0
  const [row] = await store.run('SELECT queue_deliveries($1, $2, $3, $4)', JSON.stringify(jobs), now, again)
  return Number(row?.[0])
}

/** How many changes one transaction reads. */
const changesMax = 500

/** What one round has done. */
export interface Round {
  /** Whether there may be more to read. */
  readonly hasMore: boolean
  /** Whether another process reads the feed of this store. */
  readonly isBusy?: true
  /** The integrations that have new jobs. */
  readonly integrationIds: readonly string[]
}

/**
 * Reads the next changes of a store's feed, and stores the jobs that they make, with the position up to which that is
 * done, in one transaction. So each change makes its jobs once, whatever crashes.
 */
export const fanOut = (work: Work): Promise<Round> =>
  work.transaction(async (inside) => {
    const { store, clock } = inside
    // One process at a time. The position is read by a later statement: that sees what the process before has stored.
    const [lock] = await store.run(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('fan out ' || $1::text, 0))`,
    )
    if (lock?.[0] !== 't') return { hasMore: true, isBusy: true, integrationIds: [] }
    const [reader] = await store.run(
      `SELECT position FROM feed_readers WHERE store_id = $1 AND reader = 'deliveries'`,
    )
    const changes = await readChanges(store, Number(reader?.[0] ?? 0), changesMax)
    const last = changes.at(-1)
    if (!last) return { hasMore: false, integrationIds: [] }
    const now = clock.now()
    // An integration that was disabled or deleted gets nothing of what waits for it.
    if (changes.some(({ source }) => source === 'integrations'))
      await store.run('SELECT drop_deliveries($1, $2)', now)
    const jobs = jobsOf(changes, await storeFacts(inside), await findObservers(store))
    await queueJobs(store, jobs, now)
    await store.run(
      `INSERT INTO feed_readers (store_id, reader, position) VALUES ($1, 'deliveries', $2)
       ON CONFLICT (store_id, reader) DO UPDATE SET position = excluded.position`,
      last.position,
    )
    const integrationIds = [...new Set(jobs.map(({ integration_id }) => integration_id))]
    return { hasMore: changes.length === changesMax, integrationIds }
  })
