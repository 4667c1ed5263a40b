import { Problem } from '../kernel/errors.ts'
import { brokenConstraint } from '../kernel/storage/database.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Job } from '../kernel/work/job.ts'
import { change } from '../kernel/write/by-rules.ts'
import type { DataEntry } from './data-entries.ts'
import { eraseSet } from './erase-set.ts'
import { type ErasureRequests, type Status, statuses } from './erasure-requests.ts'
import type { Register } from './register.ts'

export type Erasure = Job<{ readonly requestId: string }>

/** Processes an erasure request in one transaction. A request that was processed before stays as it is. */
export const erasePersonalData = (register: Register, requests: ErasureRequests): Erasure => ({
  name: 'personal-data:erase-personal-data',
  attemptsMax: 10,
  run: async (work, { requestId }) => {
    try {
      await settle(work, requests, requestId, 'SUCCESS', (work, entry) => eraseSet(work, register, entry))
    } catch (error) {
      // The queue retries.
      if (error instanceof Problem && error.status >= 500) throw error
      work.instance.log.error({ err: error, erasure_request: requestId }, 'cannot erase personal data')
      const reason = reasons[brokenConstraint(error) ?? '']
      await settle(work, requests, requestId, 'FAILURE', async () => {}, reason)
    }
  },
})

/** What clients read if a constraint prevents the erasure. */
const reasons: Readonly<Record<string, string>> = {
  accounts_parent_id_fkey: 'Nothing was erased: the account has child accounts. Erase or delete them first.',
}

async function settle(
  work: Work,
  requests: ErasureRequests,
  requestId: string,
  status: Status,
  erase: (work: Work, entry: DataEntry) => Promise<void>,
  description: string = statuses[status],
): Promise<void> {
  await work.transaction(async (work) => {
    await work.store.lock(requests, requestId)
    const request = await work.store.find(requests, requestId)
    if (request?.doc.status !== 'CREATED') return
    await erase(work, { type: request.doc.resource_type, id: request.doc.resource_id })
    const updated_at = work.clock.now().toISOString()
    await change(work, requests, [], requestId, {
      status,
      status_description: description,
      updated_at,
    })
  })
}
