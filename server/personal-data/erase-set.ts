import { holdFeed, sequence } from '../kernel/feed/record.ts'
import { forgetAnswers } from '../kernel/request/forget-answers.ts'
import type { Store } from '../kernel/storage/store.ts'
import type { Work } from '../kernel/work/context.ts'
import { type DataEntry, findRoot } from './data-entries.ts'
import { personalAccounts } from './personal-accounts.ts'
import type { Register } from './register.ts'

/**
 * Deletes the set of personal data that an entry is at home in from the tables, and from what keeps copies of it or
 * speaks of it: the change feed, the answers kept for idempotency keys, and who read it. Needs a transaction.
 */
export async function eraseSet(work: Work, register: Register, entry: DataEntry): Promise<void> {
  const { store, instance } = work
  // First, so that no two erasures wait for each other; to the end, so that nothing is fed behind their backs.
  await holdFeed(store)
  await sequence(store)
  const root = await findRoot(work, register, entry)
  if (!root) return
  // From here on nobody adds to what belongs to these rows; whoever was about to has finished, and is in the feed.
  for (const table of register.roots) await store.close({ table }, root)
  await sequence(store)
  const accounts = await accountsOf(store, root)
  await store.close({ table: 'accounts' }, ...accounts)
  await sequence(store)
  const roots = [root, ...accounts]
  const ids = await idsOfSet(store, register, roots)

  for (const { resource, home } of register.belongings) {
    await store.removeAll(resource, (bind) => `r.${home} = ANY(${bind(roots)}::uuid[])`)
  }
  for (const table of register.roots) {
    await store.removeAll({ table }, (bind) => `r.id = ANY(${bind(roots)}::uuid[])`)
  }
  // Whoever was about to change one of them has finished as well.
  await sequence(store)
  await forgetNameInAccounts(store, root)
  await forgetOneTimePasswords(store, root)
  await forgetEmailChanges(store, root)
  await forgetChanges(store, register, ids)
  await forgetAnswers(store, instance.sealKeys, ids)
  // Last: until the end of the transaction no read is written.
  await store.rows('SELECT erase_personal_data_reads($1, $2::uuid[])', ids)
}

/** The accounts that were made for the user, and those that bore their name and are gone: see forgetNameInAccounts. */
async function accountsOf(store: Store, userId: string): Promise<readonly string[]> {
  const rows = await store.rows(
    `SELECT account_id FROM (${personalAccounts}) own WHERE store_id = $1 AND account_member_id = $2
     UNION
     SELECT a.id FROM changes a WHERE ${boreNameOf('$2')}
       AND NOT EXISTS (SELECT FROM accounts l WHERE l.store_id = $1 AND l.id = a.id)`,
    userId,
  )
  return rows.map(([id]) => id as string)
}

/** Of changes `a` to accounts that the user was a member of: those in which the account is called as the user. */
const boreNameOf = (user: string) =>
  `a.store_id = $1 AND a.source = 'accounts' AND a.personal AND a.id IN (
     SELECT m.scope FROM changes m WHERE m.store_id = $1 AND m.source = 'account_memberships'
       AND m.personal AND m.doc->>'account_member_id' = ${user}::text)
   AND a.doc->>'name' IN (
     SELECT u.doc->>'name' FROM changes u WHERE u.store_id = $1 AND u.source = 'user_authentication_infos'
       AND u.personal AND u.id = ${user}::uuid)`

/** The set as it is, and what once belonged to it: the feed remembers what was deleted long ago. */
async function idsOfSet(
  store: Store,
  register: Register,
  roots: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.rows(
    `SELECT resource_id FROM ${register.entries} WHERE store_id = $1 AND root_id = ANY($2::uuid[])
     UNION
     SELECT id FROM changes WHERE store_id = $1 AND scope = ANY($2::uuid[]) AND personal
     UNION
     SELECT unnest($2::uuid[])`,
    roots,
  )
  return rows.map(([id]) => id as string)
}

/** An account that bore the member's name is not erased with the member when others use it: what the feed tells is. */
const forgetNameInAccounts = (store: Store, userId: string) =>
  store.rows(`DELETE FROM changes a WHERE ${boreNameOf('$2')}`, userId)

/** Their events name the user. */
const forgetOneTimePasswords = (store: Store, userId: string) =>
  store.rows(
    `DELETE FROM changes WHERE store_id = $1 AND type = 'one-time-password-token-request'
       AND doc->'user_authentication_info'->>'id' = $2::text`,
    userId,
  )

/** Their events name both addresses. */
const forgetEmailChanges = (store: Store, id: string) =>
  store.rows(
    `DELETE FROM changes WHERE store_id = $1 AND scope = $2 AND personal AND type = 'email-change'`,
    id,
  )

/** Only that the objects are gone stays in the feed: whoever reads it late must learn that. */
const forgetChanges = (store: Store, { holders }: Register, ids: readonly string[]) =>
  store.rows(
    `DELETE FROM changes WHERE store_id = $1 AND source = ANY($2::text[]) AND id = ANY($3::uuid[]) AND personal
       AND event <> 'deleted'`,
    [...new Set(holders.map(({ resource }) => resource.table))],
    ids,
  )
