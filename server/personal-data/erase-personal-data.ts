import { Problem } from '../kernel/errors.ts'
import type { Job, JobCtx } from '../kernel/jobs.ts'
import { brokenConstraint, type Connection } from '../kernel/storage/database.ts'
import { Store } from '../kernel/storage/store.ts'
import { type DataEntry, findRoot } from './data-entries.ts'
import { eraseSet } from './erase-set.ts'
import { erasureRequests, type Status, statuses } from './erasure-requests.ts'

interface Asked {
  readonly storeId: string
  readonly requestId: string
  /** Whom the change feed names as author of the deletions. */
  readonly by: string
}

/** Carries out an erasure request, in one transaction. A request that was carried out is left as it is. */
export const erasePersonalData: Job<Asked> = {
  name: 'personal-data:erase-personal-data',
  attemptsMax: 10,
  run: async (ctx, asked) => {
    try {
      await settle(ctx, asked, 'SUCCESS', async (store, entry) => {
        const root = await findRoot(store, entry)
        if (root) await eraseSet(store, root, ctx.sealKey)
      })
    } catch (error) {
      // The queue tries again.
      if (error instanceof Problem && error.status >= 500) throw error
      ctx.log.error({ err: error, erasure_request: asked.requestId }, 'personal data was not erased')
      await settle(ctx, asked, 'FAILURE', async () => {}, reasons[brokenConstraint(error) ?? ''])
    }
  },
}

/** Constraints that keep a set from being erased, in a client's words. */
const reasons: Readonly<Record<string, string>> = {
  accounts_parent_id_fkey: 'Nothing was erased: the account has child accounts. Erase or delete them first.',
}

async function settle(
  { database, clock }: JobCtx,
  { storeId, requestId, by }: Asked,
  status: Status,
  work: (store: Store, entry: DataEntry) => Promise<void>,
  description: string = statuses[status],
): Promise<void> {
  await database.transaction(async (transaction: Connection) => {
    const store = new Store(storeId, transaction, transaction, () => clock.now(), by)
    await store.rows('SELECT FROM erasure_requests WHERE store_id = $1 AND id = $2 FOR UPDATE', requestId)
    const request = await store.findWhole(erasureRequests, requestId)
    if (request?.doc.status !== 'CREATED') return
    await work(store, { type: request.doc.resource_type, id: request.doc.resource_id })
    await store.update(erasureRequests, request, {
      ...request.doc,
      status,
      status_description: description,
      updated_at: clock.now().toISOString(),
    })
  })
}
