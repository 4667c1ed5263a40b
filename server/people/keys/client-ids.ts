import { Problem } from '../../kernel/errors.ts'
import type { Connection } from '../../kernel/storage/database.ts'
import type { Store } from '../../kernel/storage/store.ts'

/** The store whose key has this client id. The ids of all stores are in a table that each node has. */
export async function storeOfClientId(connection: Connection, clientId: string): Promise<string | undefined> {
  const text = 'SELECT store_id FROM client_ids WHERE client_id = $1'
  const [row] = await connection.run({ text, values: [clientId] })
  return row?.[0] ?? undefined
}

/** Keeps a new random client id, in the transaction that writes its key. */
export async function keepClientId(store: Store, clientId: string): Promise<void> {
  await store.run('INSERT INTO client_ids (store_id, client_id) VALUES ($1, $2)', clientId)
}

export async function forgetClientId(store: Store, clientId: string): Promise<void> {
  await store.run('DELETE FROM client_ids WHERE store_id = $1 AND client_id = $2', clientId)
}

/** As `keepClientId`, for an id that somebody has chosen. */
export async function claimClientId(
  connection: Connection,
  storeId: string,
  clientId: string,
): Promise<void> {
  const isOne = async (text: string, ...values: readonly string[]) =>
    (await connection.run({ text, values })).length > 0
  const insert =
    'INSERT INTO client_ids (store_id, client_id) VALUES ($1, $2) ON CONFLICT (client_id) DO NOTHING RETURNING 1'
  if (await isOne(insert, storeId, clientId)) return
  const holder = (await storeOfClientId(connection, clientId)) ?? storeId
  if (holder === storeId) return
  // No trigger can write this table, so those of a store that was deleted are left.
  if (await isOne('SELECT 1 FROM application_keys WHERE store_id = $1 AND client_id = $2', holder, clientId))
    throw new Problem('conflict', `the client id ${clientId} is one of another store`, {
      source: 'client_id',
    })
  await connection.run({
    text: 'UPDATE client_ids SET store_id = $1 WHERE client_id = $2 AND store_id = $3',
    values: [storeId, clientId, holder],
  })
}
