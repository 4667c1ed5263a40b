import { columns, number } from '../../kernel/storage/columns.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Instance } from '../../kernel/work/context.ts'

/** A job that this process has claimed. */
export interface ClaimedJob {
  readonly storeId: string
  readonly integrationId: string
  readonly id: string
  readonly eventId: string
  readonly key: string
  readonly source: string
  readonly subjectId: string
  readonly position: number
  /** How many attempts there were. */
  readonly attempt: number
  /** The end of the lease, which identifies the claim. */
  readonly lease: string
}

/** An integration of a store, by one text. */
export const endpointOf = (storeId: string, integrationId: string): string => `${storeId} ${integrationId}`

/** How many jobs of an integration to claim. */
export interface Wish {
  readonly storeId: string
  readonly integrationId: string
  readonly most: number
}

/** The integrations of all stores that have jobs to do. */
export async function findDue(
  database: Database,
  now: Date,
): Promise<readonly Pick<Wish, 'storeId' | 'integrationId'>[]> {
  const rows = await database.run({
    text: 'SELECT store_id, integration_id FROM integrations_due($1)',
    values: [now],
  })
  return rows.map(([storeId, integrationId]) => ({
    storeId: storeId as string,
    integrationId: integrationId as string,
  }))
}

const claimed = columns({
  storeId: 'store_id',
  integrationId: 'integration_id',
  id: 'id',
  eventId: 'event_id',
  key: 'key',
  source: 'source',
  subjectId: 'subject_id',
  position: ['position', number],
  attempt: ['attempt', number],
})

/** Takes due jobs for this process, until the lease ends. No other process gets them meanwhile. */
export async function claim(
  { database, nodes }: Pick<Instance, 'database' | 'nodes'>,
  wishes: readonly Wish[],
  now: Date,
  leaseMs: number,
): Promise<readonly ClaimedJob[]> {
  const lease = new Date(now.getTime() + leaseMs)
  const byStore = Map.groupBy(wishes, ({ storeId }) => storeId)
  const jobs: ClaimedJob[] = []
  await nodes.each([...byStore.keys()], async (stores) => {
    const own = stores.flatMap((store) => byStore.get(store) ?? [])
    const rows = await database.run({
      text: `SELECT ${claimed.sql}
             FROM claim_deliveries($1, $2::uuid[], $3::uuid[], $4::integer[], $5, $6)`,
      values: [
        stores[0],
        own.map(({ storeId }) => storeId),
        own.map(({ integrationId }) => integrationId),
        own.map(({ most }) => most),
        ...[now, lease],
      ],
    })
    jobs.push(...rows.map((row) => ({ ...claimed.read(row), lease: lease.toISOString() })))
  })
  return jobs
}
