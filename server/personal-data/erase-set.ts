import type { Store } from '../kernel/storage/store.ts'
import type { Root } from './data-entries.ts'
import { forgetAnswers } from './forget-answers.ts'

/** Deleting a root takes with it what belongs to it. */
const tables = {
  customer: 'customers',
  account: 'accounts',
  'user-authentication-info': 'user_authentication_infos',
} as const

/**
 * Deletes a set of personal data from the tables, and from what keeps copies of it: the change feed and the answers
 * kept for idempotency keys. Needs a transaction.
 */
export async function eraseSet(store: Store, root: Root, sealKey: Uint8Array): Promise<void> {
  await lock(store, tables[root.type], [root.id])
  const accounts = root.type === 'user-authentication-info' ? await personalAccounts(store, root.id) : []
  await lock(store, 'accounts', accounts)
  const roots = [root.id, ...accounts]
  const ids = await idsOfSet(store, roots)

  if (root.type === 'user-authentication-info') {
    await forgetNameInAccounts(store, root.id)
    await forgetOneTimePasswords(store, root.id)
  }
  await remove(store, tables[root.type], [root.id])
  await remove(store, 'accounts', accounts)
  await forgetChanges(store, ids)
  await forgetAnswers(store, sealKey, ids)
}

/** From here on nobody adds to what belongs to these rows; whoever was about to has finished. */
const lock = (store: Store, table: string, ids: readonly string[]) =>
  store.rows(`SELECT FROM ${table} WHERE store_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR UPDATE`, ids)

const remove = (store: Store, table: string, ids: readonly string[]) =>
  store.write(
    `DELETE FROM ${table} USING set_config('sutler.by', $2, true) WHERE store_id = $1 AND id = ANY($3::uuid[])`,
    ids,
  )

async function personalAccounts(store: Store, userId: string): Promise<readonly string[]> {
  const rows = await store.rows(
    'SELECT account_id FROM personal_accounts WHERE store_id = $1 AND account_member_id = $2',
    userId,
  )
  return rows.map(([id]) => id as string)
}

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

/**
 * An account that bore the member's name, and does so no longer or is gone, is not erased with the member; what the
 * feed remembers of that time is.
 */
const forgetNameInAccounts = (store: Store, userId: string) =>
  store.rows(
    `DELETE FROM changes a USING changes m
     WHERE m.store_id = $1 AND m.type = 'account_membership' AND holds_personal_data(m.type)
       AND m.doc->>'account_member_id' = $2::text
       AND a.store_id = $1 AND a.type = 'account' AND holds_personal_data(a.type) AND a.id = m.scope
       AND a.doc->>'name' IN (
         SELECT u.doc->>'name' FROM changes u WHERE u.store_id = $1 AND u.type = 'user_authentication_info'
           AND holds_personal_data(u.type) AND u.id = $2::uuid)`,
    userId,
  )

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
