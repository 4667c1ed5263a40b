import type { Config } from './config.ts'
import type { Clock } from './kernel/clock.ts'
import type { Database } from './kernel/storage/database.ts'
import type { Instance } from './kernel/work/context.ts'
import { createFirstKey, firstLink, newCredential } from './people/index.ts'
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
    // On another connection: in Citus a transaction that has read all nodes cannot change what each of them has.
    const store = await findOldestStore(database)
    const storeId = store ?? (await createStore(connection, 'Store', now))
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

/** The oldest store, if it has no colleague yet: nobody can sign in at the console, except with a key. */
export async function findStoreWithoutColleagues(database: Database): Promise<string | undefined> {
  const id = await findOldestStore(database)
  if (id === undefined) return undefined
  const text = 'SELECT 1 FROM role_assignments WHERE store_id = $1 LIMIT 1'
  const colleagues = await database.quick({ text, values: [id] })
  return colleagues.length ? undefined : id
}

async function findOldestStore(database: Database): Promise<string | undefined> {
  const text = 'SELECT id FROM stores ORDER BY created_at, id LIMIT 1'
  const [row] = await database.quick({ text, values: [] })
  return row?.[0] ?? undefined
}

/** The link that makes somebody the first colleague; undefined if there is one. */
export async function firstColleagueLink(instance: Instance, url: string): Promise<string | undefined> {
  const storeId = await findStoreWithoutColleagues(instance.database)
  return storeId && firstLink(instance, storeId, (instance.baseUrl ?? url).replace(/\/+$/, ''))
}
