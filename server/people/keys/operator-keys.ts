import { newId } from '../../kernel/ids.ts'
import { columns, instant, optionalText } from '../../kernel/storage/columns.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { authorOf, Store } from '../../kernel/storage/store.ts'
import { newDraft } from '../../kernel/write/drafts.ts'
import { applicationKeys } from './application-keys.ts'
import { forgetClientId, keepClientId } from './client-ids.ts'
import { hashOf, newCredential } from './key-secret.ts'

/** What an operator sees of a key. Its secret is shown only when it is made. */
const keyColumns = columns({
  name: "doc->>'name'",
  clientId: 'client_id',
  lastUsedAt: ["hidden->>'last_used_at'", optionalText],
  createdAt: instant('created_at'),
})

/**
 * The application keys of one store for an operator who has its database but no key. The change feed has these writes
 * with the author `operator`.
 */
export class OperatorKeys {
  readonly #store: Store

  constructor(database: Database, storeId: string, now: () => Date) {
    this.#store = new Store(storeId, database, now, authorOf('operator', ''))
  }

  async list(): Promise<readonly ReturnType<typeof keyColumns.read>[]> {
    const rows = await this.#store.run(
      `SELECT ${keyColumns.sql} FROM application_keys WHERE store_id = $1 ORDER BY created_at, id`,
    )
    return rows.map(keyColumns.read)
  }

  /** Creates a key. Returns its client id and its secret. */
  async add(name: string): Promise<{ readonly clientId: string; readonly clientSecret: string }> {
    const [clientId, clientSecret] = [newCredential(), newCredential()]
    const values = { name, client_id: clientId, secret_hash: hashOf(clientSecret) }
    await this.#store.transaction(async (store) => {
      await keepClientId(store, clientId)
      await store.insert(applicationKeys, newDraft(applicationKeys, [], values, newId()), true)
    })
    return { clientId, clientSecret }
  }

  /** Gives a key a new secret, which is returned; undefined if there is no such key. */
  async rotate(clientId: string): Promise<string | undefined> {
    const clientSecret = newCredential()
    const rows = await this.#store.write(
      `UPDATE application_keys SET hidden = (hidden::jsonb || jsonb_build_object('secret_hash', $3::text))::json
       WHERE store_id = $1 AND client_id = $2 RETURNING 1`,
      clientId,
      hashOf(clientSecret),
    )
    return rows.length > 0 ? clientSecret : undefined
  }

  /** Deletes a key. Its tokens end within a second. False if there is no such key. */
  async remove(clientId: string): Promise<boolean> {
    const [found] = await this.#store.run(
      'SELECT id FROM application_keys WHERE store_id = $1 AND client_id = $2',
      clientId,
    )
    const key = found && (await this.#store.find(applicationKeys, found[0] as string))
    if (!key) return false
    return this.#store.transaction(async (store) => {
      await forgetClientId(store, clientId)
      return store.remove(applicationKeys, key, true)
    })
  }
}
