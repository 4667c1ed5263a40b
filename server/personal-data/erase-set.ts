import type { Store } from '../kernel/storage/store.ts'
import { forgetAnswers } from './forget-answers.ts'

/** What a set may be about; deleting it takes with it what belongs to it. */
const tables = ['customers', 'user_authentication_infos', 'accounts'] as const

/**
 * Deletes a set of personal data from the tables, and from what keeps copies of it or speaks of it: the change feed,
 * the answers kept for idempotency keys, and who read it. Needs a transaction.
 */
export async function eraseSet(store: Store, root: string, sealKey: Uint8Array): Promise<void> {
  // From here on nobody adds to what belongs to these rows; whoever was about to has finished.
  for (const table of tables) await store.close({ table }, root)
  const accounts = await personalAccounts(store, root)
  await store.close({ table: 'accounts' }, ...accounts)
  const roots = [root, ...accounts]
  const ids = await idsOfSet(store, roots)

  await forgetNameInAccounts(store, root)
  await forgetOneTimePasswords(store, root)
  for (const table of tables) await store.removeAll({ table }, (bind) => `r.id = ANY(${bind(roots)}::uuid[])`)
  await forgetChanges(store, ids)
  await forgetAnswers(store, sealKey, ids)
  // Last: until the end of the transaction no read is written.
  await store.rows('SELECT erase_personal_data_reads($1, $2::uuid[])', ids)
}

/** The accounts that were made for the user, and those that bore their name and are gone: see forgetNameInAccounts. */
async function personalAccounts(store: Store, userId: string): Promise<readonly string[]> {
  const rows = await store.rows(
    `SELECT account_id FROM personal_accounts WHERE store_id = $1 AND account_member_id = $2
     UNION
     SELECT a.id FROM changes a WHERE ${boreNameOf('$2')}
       AND NOT EXISTS (SELECT FROM accounts l WHERE l.store_id = $1 AND l.id = a.id)`,
    userId,
  )
  return rows.map(([id]) => id as string)
}

/** Of changes `a` to accounts that the user was a member of: those in which the account is called as the user. */
const boreNameOf = (user: string) =>
  `a.store_id = $1 AND a.type = 'account' AND holds_personal_data(a.type) AND a.id IN (
     SELECT m.scope FROM changes m WHERE m.store_id = $1 AND m.type = 'account_membership'
       AND holds_personal_data(m.type) AND m.doc->>'account_member_id' = ${user}::text)
   AND a.doc->>'name' IN (
     SELECT u.doc->>'name' FROM changes u WHERE u.store_id = $1 AND u.type = 'user_authentication_info'
       AND holds_personal_data(u.type) AND u.id = ${user}::uuid)`

/** The set as it is, and what once belonged to it: the feed remembers what was deleted long ago. */
async function idsOfSet(store: Store, roots: readonly string[]): Promise<readonly string[]> {
  const rows = await store.rows(
    `SELECT resource_id FROM personal_data_entries WHERE store_id = $1 AND root_id = ANY($2::uuid[])
     UNION
     SELECT id FROM changes WHERE store_id = $1 AND scope = ANY($2::uuid[]) AND holds_personal_data(type)
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

/** Only that the objects are gone stays in the feed: whoever reads it late must learn that. */
const forgetChanges = (store: Store, ids: readonly string[]) =>
  store.rows(
    `DELETE FROM changes WHERE store_id = $1 AND id = ANY($2::uuid[]) AND holds_personal_data(type)
       AND kind <> 'deleted'`,
    ids,
  )
