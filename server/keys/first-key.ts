import { newId } from '../kernel/ids.ts'
import type { Connection, Database } from '../kernel/storage/database.ts'
import { StartupError } from '../platform/faults.ts'
import { hashOf, isSecretOf, renewed, secretCharsMin } from './key-secret.ts'

/**
 * Stores a key that was not made through the API: the one of the first start. One that is stored already stays as it
 * is, also with a secret that is shorter than those of today.
 */
export async function createFirstKey(
  connection: Connection,
  storeId: string,
  clientId: string,
  secret: string,
  now: Date,
): Promise<void> {
  const [found] = await connection.run({
    text: `SELECT hidden->>'secret_hash' FROM application_keys WHERE client_id = $1`,
    values: [clientId],
  })
  const stored = found?.[0]
  const isStored = stored != null && (await isSecretOf(stored, secret))
  const hashed = isStored ? renewed(stored, secret) : hashOf(secret)
  if (hashed === undefined) return
  if (!isStored && secret.length < secretCharsMin) {
    throw new StartupError(
      `SUTLER_CLIENT_SECRET must have at least ${secretCharsMin} characters: make one with \`openssl rand -hex 32\``,
    )
  }
  const doc = { name: 'First key', reserved_rate_limit: 0, client_id: clientId }
  await connection.run({
    text: `INSERT INTO application_keys (store_id, id, created_at, updated_at, doc, hidden)
           VALUES ($1, $2, $3, $3, $4, $5) ON CONFLICT (client_id)
           DO UPDATE SET hidden = (application_keys.hidden::jsonb || excluded.hidden::jsonb)::json`,
    values: [storeId, newId(), now, JSON.stringify(doc), JSON.stringify({ secret_hash: hashed })],
  })
}

/** Whether tokens of the key are still good. */
export async function keyIsAlive(database: Database, storeId: string, keyId: string): Promise<boolean> {
  const text = 'SELECT 1 FROM application_keys WHERE store_id = $1 AND id = $2'
  return (await database.quick({ text, values: [storeId, keyId] })).length > 0
}
