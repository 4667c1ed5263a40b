import type { Config } from './config.ts'
import type { Clock } from './kernel/clock.ts'
import type { Database } from './kernel/storage/database.ts'
import { createFirstKey, newCredential } from './people/index.ts'
import { createStore } from './stores.ts'

/** The credentials that the operator needs to get a token. */
export interface FirstCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * Creates the organisation, its store and the store's first key, if they do not exist. `announce` shows a generated
 * key to the operator before it is stored: if that fails, no key is stored that nobody knows.
 */
export async function firstStart(
  database: Database,
  config: Config,
  clock: Clock,
  announce: (credentials: FirstCredentials) => void,
): Promise<void> {
  await database.transaction(async (connection) => {
    // Processes that start at the same time take turns here.
    await connection.run({ text: 'SELECT pg_advisory_xact_lock(7305011)', values: [] })
    const now = clock.now()
    const [store] = await connection.run({
      text: 'SELECT id FROM stores ORDER BY created_at, id LIMIT 1',
      values: [],
    })
    const storeId = store?.[0] ?? (await createStore(connection, 'Store', now))
    const { clientId, clientSecret } = config
    if (clientId && clientSecret) {
      await createFirstKey(connection, storeId, clientId, clientSecret, now)
      return
    }
    if (store) return
    const credentials = { clientId: newCredential(), clientSecret: newCredential() }
    announce(credentials)
    await createFirstKey(connection, storeId, credentials.clientId, credentials.clientSecret, now)
  })
}
