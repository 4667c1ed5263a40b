import { hash } from '@node-rs/argon2'
import { newId } from '../kernel/ids.ts'
import type { Connection } from '../kernel/storage/database.ts'

/** Stores a key that was not made through the API: the one of the first start. */
export async function createFirstKey(
  connection: Connection,
  storeId: string,
  clientId: string,
  secret: string,
  now: Date,
): Promise<void> {
  const doc = { name: 'First key', reserved_rate_limit: 0, client_id: clientId }
  await connection.run({
    text: `INSERT INTO application_keys (store_id, id, created_at, updated_at, doc, hidden)
           VALUES ($1, $2, $3, $3, $4, $5) ON CONFLICT (client_id)
           DO UPDATE SET hidden = (application_keys.hidden::jsonb || excluded.hidden::jsonb)::json`,
    values: [storeId, newId(), now, JSON.stringify(doc), JSON.stringify({ secret_hash: await hash(secret) })],
  })
}

/** Whether tokens of the key are still good. */
export async function keyIsAlive(connection: Connection, storeId: string, keyId: string): Promise<boolean> {
  const text = 'SELECT 1 FROM application_keys WHERE store_id = $1 AND id = $2'
  return (await connection.run({ text, values: [storeId, keyId] })).length > 0
}
