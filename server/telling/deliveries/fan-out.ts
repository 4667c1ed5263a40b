import { type FeedChange, readChanges } from '../../kernel/feed/changes.ts'
import { idFrom } from '../../kernel/ids.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { eventsOf, type StoreEvent, type StoreFacts, storeFacts } from '../events/events-of.ts'

/** The part of an integration that says which events it gets. */
interface Observer {
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

/** The tables whose documents say which events a change has: see `eventsOf` and `Observing`. */
export const tablesWithDocs = ['carts', 'integrations']

/** The jobs that changes make, for those who observe their events. The same changes always make the same jobs. */
export function jobsOf(
  changes: readonly FeedChange[],
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

/** The observers at the position of the reader. Before its first change a store has none. */
async function observersAt(store: Store, reader: Tuple | undefined): Promise<readonly Observer[]> {
  if (!reader) return []
  // A reader of an earlier version has not stored them.
  if (reader[1] == null) return findObservers(store)
  const stored = JSON.parse(reader[1]) as Readonly<Record<string, readonly string[]>>
  return Object.entries(stored).map(([id, observes]) => ({ id, observes }))
}

/** The end of what waits for an integration: it was disabled or deleted by the change at this position. */
interface End {
  readonly integration_id: string
  readonly position: number
}

/**
 * Who observes what while the feed is read. Each change is for those who observe it at its position: the integrations
 * may be others by now.
 */
class Observing {
  readonly #observers: Map<string, readonly string[]>

  constructor(observers: readonly Observer[]) {
    this.#observers = new Map(observers.map(({ id, observes }) => [id, observes]))
  }

  /** `{integration: keys}`, for the next reader. */
  get text(): string {
    return JSON.stringify(Object.fromEntries(this.#observers))
  }

  /** The jobs of the next changes, and the integrations for which nothing of before may wait. */
  follow(
    changes: readonly FeedChange[],
    facts: StoreFacts,
  ): { readonly jobs: readonly NewJob[]; readonly ends: readonly End[] } {
    const ends = new Map<string, End>()
    const jobs = changes.flatMap((change) => {
      if (change.source === 'integrations') this.#note(change, ends)
      const observers = [...this.#observers].map(([id, observes]) => ({ id, observes }))
      return jobsOf([change], facts, observers)
    })
    const isWanted = ({ integration_id, position }: NewJob) =>
      !(position < (ends.get(integration_id)?.position ?? 0))
    return { jobs: jobs.filter(isWanted), ends: [...ends.values()] }
  }

  #note({ event, id, doc, position }: FeedChange, ends: Map<string, End>): void {
    // An event of an integration, such as its pause, comes with a write.
    if (event.includes('.')) return
    const { enabled, observes } = JSON.parse(doc ?? '{"enabled":false,"observes":[]}') as StoredObserver
    if (enabled) this.#observers.set(id, observes)
    else if (this.#observers.delete(id)) ends.set(id, { integration_id: id, position })
  }
}

interface StoredObserver {
  readonly enabled: boolean
  readonly observes: readonly string[]
}

/** The position up to which the changes of a store have made their jobs. */
export async function positionOfDeliveries(store: Store): Promise<number> {
  const [row] = await store.run(
    `SELECT position FROM feed_readers WHERE store_id = $1 AND reader = 'deliveries'`,
  )
  return Number(row?.[0] ?? 0)
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
export const changesMax = 500

/** What one round has done. */
interface Round {
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
      `SELECT pg_try_advisory_xact_lock(hashtextextended('fan out ' || $1::uuid::text, 0)) FROM stores WHERE id = $1`,
    )
    if (lock?.[0] !== 't') return { hasMore: true, isBusy: true, integrationIds: [] }
    const [reader] = await store.run(
      `SELECT position, observers FROM feed_readers WHERE store_id = $1 AND reader = 'deliveries'`,
    )
    const observing = new Observing(await observersAt(store, reader))
    const changes = await readChanges(store, Number(reader?.[0] ?? 0), changesMax, tablesWithDocs)
    const last = changes.at(-1)
    if (!last) return { hasMore: false, integrationIds: [] }
    const now = clock.now()
    const { jobs, ends } = observing.follow(changes, await storeFacts(inside))
    if (ends.length) await store.run('SELECT drop_deliveries($1, $2, $3)', JSON.stringify(ends), now)
    await queueJobs(store, jobs, now)
    // Most rounds change no observers, which may be long.
    const observers = reader?.[1] === observing.text ? null : observing.text
    await store.run(
      `INSERT INTO feed_readers AS r (store_id, reader, position, observers) VALUES ($1, 'deliveries', $2, $3)
       ON CONFLICT (store_id, reader) DO UPDATE
         SET position = excluded.position, observers = coalesce(excluded.observers, r.observers)`,
      last.position,
      observers,
    )
    const integrationIds = [...new Set(jobs.map(({ integration_id }) => integration_id))]
    return { hasMore: changes.length === changesMax, integrationIds }
  })
