import { parseRequestRates } from '../../kernel/auth/request-rates.ts'
import type { ActiveKey } from '../../kernel/auth/tokens.ts'
import { newId } from '../../kernel/ids.ts'
import type { Connection, Database } from '../../kernel/storage/database.ts'
import { WrongSetting } from '../../platform/faults.ts'
import { claimClientId, storeOfClientId } from './client-ids.ts'
import { hashOf, matchesSecret, secretCharsMin, upgradeHash } from './key-secret.ts'

/**
 * Stores the key of the first start, which does not come from the API. A key that is already stored stays as it is,
 * even if its secret is shorter than new secrets must be.
 */
export async function createFirstKey(
  connection: Connection,
  storeId: string,
  clientId: string,
  secret: string,
  now: Date,
): Promise<void> {
  const ofStore = await storeOfClientId(connection, clientId)
  const [row] = await connection.run({
    text: `SELECT hidden->>'secret_hash', hidden FROM application_keys WHERE store_id = $1 AND client_id = $2`,
    values: [ofStore ?? storeId, clientId],
  })
  const [storedHash, hidden] = row ?? []
  const isStored = storedHash != null && (await matchesSecret(storedHash, secret))
  const newHash = isStored ? upgradeHash(storedHash, secret) : hashOf(secret)
  if (newHash === undefined) return
  if (!isStored && secret.length < secretCharsMin) {
    throw new WrongSetting(
      `SUTLER_CLIENT_SECRET must have at least ${secretCharsMin} characters: make one with \`openssl rand -hex 32\``,
    )
  }
  if (row) {
    await connection.run({
      text: 'UPDATE application_keys SET hidden = $3 WHERE store_id = $1 AND client_id = $2',
      values: [
        ofStore ?? storeId,
        clientId,
        JSON.stringify({ ...JSON.parse(hidden ?? '{}'), secret_hash: newHash }),
      ],
    })
    return
  }
  await claimClientId(connection, storeId, clientId)
  const doc = { name: 'First key', reserved_rate_limit: 0, client_id: clientId }
  await connection.run({
    text: `INSERT INTO application_keys (store_id, id, created_at, updated_at, doc, hidden)
           VALUES ($1, $2, $3, $3, $4, $5) ON CONFLICT DO NOTHING`,
    values: [storeId, newId(), now, JSON.stringify(doc), JSON.stringify({ secret_hash: newHash })],
  })
}

/** The key if it still exists. Tokens of a deleted key are not valid. */
export async function findActiveKey(
  database: Pick<Database, 'quick'>,
  storeId: string,
  keyId: string,
): Promise<ActiveKey | undefined> {
  const text = `SELECT k.reserved_rate_limit, s.request_rates FROM application_keys k JOIN stores s ON s.id = k.store_id
                WHERE k.store_id = $1 AND k.id = $2`
  const [row] = await database.quick({ text, values: [storeId, keyId] })
  return row && { reservedRate: Number(row[0]), storeRates: parseRequestRates(row[1] ?? '') }
}
