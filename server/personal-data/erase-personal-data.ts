import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Job } from '../kernel/jobs.ts'
import { change } from '../kernel/operations.ts'
import { brokenConstraint } from '../kernel/storage/database.ts'
import { type DataEntry, findRoot } from './data-entries.ts'
import { eraseSet } from './erase-set.ts'
import { erasureRequests, type Status, statuses } from './erasure-requests.ts'

/** Carries out an erasure request, in one transaction. A request that was carried out is left as it is. */
export const erasePersonalData: Job<{ readonly requestId: string }> = {
  name: 'personal-data:erase-personal-data',
  attemptsMax: 10,
  run: async (work, { requestId }) => {
    try {
      await settle(work, requestId, 'SUCCESS', async ({ store, instance }, entry) => {
        const root = await findRoot(store, entry)
        if (root) await eraseSet(store, root, instance.sealKey)
      })
    } catch (error) {
      // The queue tries again.
      if (error instanceof Problem && error.status >= 500) throw error
      work.instance.log.error({ err: error, erasure_request: requestId }, 'personal data was not erased')
      await settle(work, requestId, 'FAILURE', async () => {}, reasons[brokenConstraint(error) ?? ''])
    }
  },
}

/** Constraints that keep a set from being erased, in a client's words. */
const reasons: Readonly<Record<string, string>> = {
  accounts_parent_id_fkey: 'Nothing was erased: the account has child accounts. Erase or delete them first.',
}

async function settle(
  work: Work,
  requestId: string,
  status: Status,
  erase: (work: Work, entry: DataEntry) => Promise<void>,
  description: string = statuses[status],
): Promise<void> {
  await work.transaction(async (work) => {
    await work.store.hold(erasureRequests, requestId)
    const request = await work.store.find(erasureRequests, requestId)
    if (request?.doc.status !== 'CREATED') return
    await erase(work, { type: request.doc.resource_type, id: request.doc.resource_id })
    const updated_at = work.clock.now().toISOString()
    await change(work, erasureRequests, [], requestId, {
      status,
      status_description: description,
      updated_at,
    })
  })
}
