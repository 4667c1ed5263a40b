import { deriveKeys, type KeySecrets } from '../auth/keys.ts'
import type { Connection } from '../storage/database.ts'
import type { Instance } from './context.ts'
import type { Chore } from './job.ts'

/**
 * Responses are stored for a day, and deleted within an hour after that. The secret that sealed them is needed for as
 * long.
 */
const neededForMs = 25 * 60 * 60 * 1000

/** Identifies a secret without revealing it. */
const fingerprintsOf = (secrets: KeySecrets): readonly string[] =>
  deriveKeys(secrets, 'fingerprint').map((key) => Buffer.from(key).toString('hex', 0, 16))

/** A secret that may have sealed or signed something in the database, and since when it is in use. */
interface SecretRecord {
  readonly fingerprint: string
  readonly inUseFrom: Date
}

/** The records of secrets, the newest first. */
async function readSecrets(connection: Connection): Promise<readonly SecretRecord[]> {
  const text =
    'SELECT fingerprint, floor(extract(epoch FROM in_use_from) * 1000) FROM secrets ORDER BY in_use_from DESC'
  const rows = await connection.run({ text, values: [] })
  return rows.map(([fingerprint, ms]) => ({
    fingerprint: String(fingerprint),
    inUseFrom: new Date(Number(ms)),
  }))
}

/** Whether a secret was ever in use. Databases from before this table had one each. */
export async function hasUsedSecret(connection: Connection): Promise<boolean> {
  const text = 'SELECT EXISTS (SELECT FROM secrets) OR EXISTS (SELECT FROM stores)'
  return (await connection.run({ text, values: [] }))[0]?.[0] === 't'
}

/**
 * Finds a secret that the database still needs and the server does not have. `until` is known only for the secret
 * before the current one. If none is missing, the current secret is recorded as in use from now on.
 */
export async function findMissingSecret(
  connection: Connection,
  secrets: KeySecrets,
  now: Date,
): Promise<{ readonly until: Date | undefined } | undefined> {
  const current = fingerprintsOf(secrets)
  const all = await readSecrets(connection)
  if (all.some(({ fingerprint }) => !current.includes(fingerprint))) {
    return { until: all[0]?.fingerprint === current[0] ? neededUntil(all[0] as SecretRecord) : undefined }
  }
  const [newest] = all
  if (newest?.fingerprint !== current[0]) {
    // Later than the one before it, even if the clock runs backwards.
    const from = new Date(Math.max(now.getTime(), (newest?.inUseFrom.getTime() ?? 0) + 1))
    const text = `INSERT INTO secrets VALUES ($1, $2) ON CONFLICT (fingerprint) DO UPDATE SET in_use_from = $2`
    await connection.run({ text, values: [current[0], from] })
  }
  return undefined
}

const neededUntil = ({ inUseFrom }: SecretRecord): Date => new Date(inUseFrom.getTime() + neededForMs)

/** Deletes the records of all other secrets. */
export async function forgetOtherSecrets(connection: Connection, secrets: KeySecrets): Promise<void> {
  const text = 'DELETE FROM secrets WHERE fingerprint <> ALL ($1::text[])'
  await connection.run({ text, values: [fingerprintsOf(secrets)] })
}

/** How many values were sealed again, and descriptions of those that cannot be opened. */
export interface Renewal {
  readonly renewed: number
  readonly lost: readonly string[]
}

/** Seals the module's secrets with the current key, if they were sealed with an older one. */
export type RenewSeals = (instance: Instance) => Promise<Renewal>

interface SealingModule {
  readonly renewSeals?: RenewSeals
}

/**
 * Seals all stored secrets with the current key, and deletes the record of the previous secret when nothing needs it.
 * It runs at each start and regularly, since other processes may still write with the previous secret.
 */
export const renewSeals = (secrets: KeySecrets, modules: readonly SealingModule[]): Chore => ({
  name: 'kernel:renew-seals',
  attemptsMax: 1,
  every: '37 * * * *',
  async run(instance) {
    const { database, clock, log } = instance
    const [current, previous] = fingerprintsOf(secrets)
    const all = await readSecrets(database)
    const [newest] = all
    // Another process uses a newer secret, and renews the seals.
    if (!newest || newest.fingerprint !== current) return
    let renewed = 0
    for (const { renewSeals } of modules) {
      if (!renewSeals) continue
      const { lost, ...done } = await renewSeals(instance)
      renewed += done.renewed
      for (const what of lost)
        log.warn(`${what} was sealed with a secret that the server does not have: set it again`)
    }
    if (previous === undefined) return
    if (!all.some(({ fingerprint }) => fingerprint === previous)) {
      log.info('SUTLER_PREVIOUS_SECRET was never used here, or is no longer needed: remove it')
    } else if (renewed > 0 || clock.now() < neededUntil(newest)) {
      log.info(`SUTLER_PREVIOUS_SECRET is needed until ${neededUntil(newest).toISOString()}`)
    } else {
      await database.run({ text: 'DELETE FROM secrets WHERE fingerprint = $1', values: [previous] })
      log.info(
        'SUTLER_PREVIOUS_SECRET is no longer needed: everything that was made with it is renewed or has expired',
      )
    }
  },
})
