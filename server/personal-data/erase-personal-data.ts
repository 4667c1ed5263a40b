import { removeCartsOf } from '../carts/index.ts'
import { Problem } from '../kernel/errors.ts'
import { eraseChanges, forgetChangesOf } from '../kernel/feed/erase.ts'
import { holdFeed, sequence } from '../kernel/feed/sequence.ts'
import { brokenConstraint } from '../kernel/storage/refusals.ts'
import type { Store } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Job } from '../kernel/work/job.ts'
import { change } from '../kernel/write/by-rules.ts'
import { forgetBuyers, orders } from '../orders/index.ts'
import { type DataEntry, findRoot } from './data-entries.ts'
import { type ErasureRequests, type Status, statuses } from './erasure-requests.ts'
import { forgetTraces } from './forget-traces.ts'
import { personalAccounts } from './personal-accounts.ts'
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
      // Where a resource has words for it, the error of PostgreSQL is the cause.
      const broken = brokenConstraint(error instanceof Problem ? error.cause : error)
      const reason = reasons[broken ?? '']
      await settle(work, requests, requestId, 'FAILURE', async () => {}, reason)
    }
  },
})

/** What clients read if a constraint prevents the erasure. */
const reasons: Readonly<Record<string, string>> = {
  accounts_parent_id_fkey: 'Nothing was erased: the account has child accounts. Erase or delete them first.',
  role_assignments_last_store_admin:
    'Nothing was erased: the user is the last Store Admin who can sign in. Give another colleague the role first.',
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

/**
 * Erases the set of personal data that an entry belongs to: the rows, and every copy or trace of them in the change
 * feed, the responses stored for idempotency keys, what integrations answered, and the log of reads. Needs a
 * transaction.
 */
export async function eraseSet(work: Work, register: Register, entry: DataEntry): Promise<void> {
  const { store } = work
  // The first lock, so that two erasures cannot deadlock. It is held to the end, so that nothing enters the feed
  // meanwhile.
  await holdFeed(store)
  await sequence(store)
  const root = await findRoot(work, register, entry)
  if (!root) return
  // From here on no other writer can add to this set. Those who had begun have finished, and are in the feed.
  for (const table of register.rootTables) await store.lockExclusive({ table }, root)
  await sequence(store)
  const accounts = await findOwnAccounts(store, root)
  await store.lockExclusive({ table: 'accounts' }, ...accounts)
  await sequence(store)
  const roots = [root, ...accounts]
  const ids = await findIds(store, register, roots)
  const ofCarts = await removeCartsOf(store, roots)

  for (const { resource, home } of register.belongings) {
    if (resource.table === orders.table) continue
    await store.removeAll(resource, (bind) => `r.${home} = ANY(${bind(roots)}::uuid[])`)
  }
  for (const table of register.rootTables) {
    await store.removeAll({ table }, (bind) => `r.id = ANY(${bind(roots)}::uuid[])`)
  }
  // Writers who had begun to change one of them have finished as well.
  await sequence(store)
  const oneTimePasswords = await findOneTimePasswords(store, root)
  await forgetNameInAccounts(store, root)
  await forgetOneTimePasswords(store, root)
  await forgetEmailChanges(store, root)
  await forgetChanges(store, register, ids)
  await forgetTraces(work, await forgetBuyers(work, roots), [...ids, ...ofCarts, ...oneTimePasswords])
  // Last, because it blocks the writes of reads until the transaction ends.
  await store.run('SELECT erase_personal_data_reads($1, $2::uuid[])', ids)
}

/**
 * The accounts that were created with the user, and deleted accounts that had the user's name: see
 * forgetNameInAccounts.
 */
async function findOwnAccounts(store: Store, userId: string): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT account_id FROM (${personalAccounts}) own WHERE store_id = $1 AND account_member_id = $2
     UNION
     SELECT a.id FROM changes a WHERE ${namedAfterUserSql('$2')}
       AND NOT EXISTS (SELECT FROM accounts l WHERE l.store_id = $1 AND l.id = a.id)`,
    userId,
  )
  return rows.map(([id]) => id as string)
}

/** A condition on changes `a` to accounts of the user: those in which the account has the user's name. */
const namedAfterUserSql = (user: string) =>
  `a.store_id = $1 AND a.source = 'accounts' AND a.personal AND a.id IN (
     SELECT m.scope FROM changes m WHERE m.store_id = $1 AND m.source = 'account_memberships'
       AND m.personal AND m.doc->>'account_member_id' = ${user}::text)
   AND a.doc->>'name' IN (
     SELECT u.doc->>'name' FROM changes u WHERE u.store_id = $1 AND u.source = 'user_authentication_infos'
       AND u.personal AND u.id = ${user}::uuid)`

/** The ids of the set, with those of objects that were deleted before: the feed still has them. */
async function findIds(
  store: Store,
  register: Register,
  roots: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT resource_id FROM ${register.entries} WHERE store_id = $1 AND root_id = ANY($2::uuid[])
     UNION
     SELECT id FROM changes WHERE store_id = $1 AND scope = ANY($2::uuid[]) AND personal
     UNION
     SELECT id FROM changes WHERE store_id = $1 AND source IN ('carts', 'orders') AND ${ownerInFeed} = ANY($2::text[])
     UNION
     SELECT unnest($2::uuid[])`,
    roots,
  )
  return rows.map(([id]) => id as string)
}

/** The owner of a cart or an order, as the index `changes_of_owned` has it: their tables have no parent. */
const ownerInFeed = `coalesce(hidden->'customers'->>0, hidden->'accounts'->>0, hidden->>'customer_id', hidden->>'account_id')`

/** Deletes the user's name from the feed of accounts that others use: these accounts are not erased. */
const forgetNameInAccounts = (store: Store, userId: string) =>
  eraseChanges(store, namedAfterUserSql('$2'), userId)

/** The events of these requests have the user's id and name. */
const ofOneTimePasswords = `a.type = 'one-time-password-token-request'
  AND a.doc->'user_authentication_info'->>'id' = $2::text`

async function findOneTimePasswords(store: Store, userId: string): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT a.id FROM changes a WHERE a.store_id = $1 AND ${ofOneTimePasswords}`,
    userId,
  )
  return rows.map(([id]) => id as string)
}

const forgetOneTimePasswords = (store: Store, userId: string) =>
  eraseChanges(store, ofOneTimePasswords, userId)

/** The events have both email addresses. */
const forgetEmailChanges = (store: Store, id: string) =>
  eraseChanges(store, `a.scope = $2 AND a.personal AND a.type = 'email-change'`, id)

const forgetChanges = (store: Store, { holders }: Register, ids: readonly string[]) =>
  forgetChangesOf(store, [...new Set(holders.map(({ resource }) => resource.table))], ids)
