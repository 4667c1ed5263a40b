import { type Config, findPreviousSecret, findSecret, makeSecret, secretFile } from './config.ts'
import type { KeySecrets } from './kernel/auth/keys.ts'
import type { Clock } from './kernel/clock.ts'
import type { Database } from './kernel/storage/database.ts'
import { findMissingSecret, forgetOtherSecrets, hasUsedSecret } from './kernel/work/secret-records.ts'
import { WrongSetting } from './platform/faults.ts'

/**
 * Loads the secrets. A start without the secret that the database was created with is refused. Otherwise nobody would
 * notice the loss before a sealed value is needed.
 */
export async function useSecrets(config: Config, database: Database, clock: Clock): Promise<KeySecrets> {
  return database.transaction(async (connection) => {
    // Processes that start at the same time take turns here, as they do at the first start.
    await connection.run({ text: 'SELECT pg_advisory_xact_lock(7305011)', values: [] })
    let secret = findSecret(config)
    if (secret === undefined) {
      if (!config.forgetSecret && (await hasUsedSecret(connection))) {
        throw new WrongSetting(
          `the secret of this database is missing: there is no ${secretFile(config)}, and no SUTLER_SECRET is set. ` +
            `Restore the secret. ${ifLost}`,
        )
      }
      secret = makeSecret(config)
    }
    const previousSecret = findPreviousSecret(config)
    const another = previousSecret !== undefined && previousSecret !== secret
    const secrets: KeySecrets = another ? [secret, previousSecret] : [secret]
    if (config.forgetSecret) await forgetOtherSecrets(connection, secrets)
    const missing = await findMissingSecret(connection, secrets, clock.now())
    if (!missing) return secrets
    const where = config.secret === undefined ? `the one in ${secretFile(config)}` : 'SUTLER_SECRET'
    throw new WrongSetting(
      missing.until
        ? `the database still needs the secret that was used before ${where}: set SUTLER_PREVIOUS_SECRET to it until ` +
            `${missing.until.toISOString()} and until the log says that it is no longer needed. ${ifLost}`
        : `the database was created with a secret other than ${where}: restore that secret, or, to replace it, set ` +
            `SUTLER_PREVIOUS_SECRET to it. ${ifLost}`,
    )
  })
}

const ifLost =
  'If it is lost, start once with SUTLER_FORGET_SECRET=true: everyone is signed out, you must set the secrets of OIDC ' +
  'profiles, gateways and integrations again, and repeated requests with an earlier Idempotency-Key are refused'
