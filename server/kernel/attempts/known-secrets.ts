import { deriveKeys, type Secrets } from '../auth/keys.ts'
import type { Module } from '../module.ts'
import type { Connection } from '../storage/database.ts'
import type { Chore } from '../work/job.ts'

/** An answer is kept for a day, and an hour until it goes: as long the secret that it is sealed with is needed. */
const neededForMs = 25 * 60 * 60 * 1000

/** Says which secret it was, and nothing of it. */
const fingerprintsOf = (secrets: Secrets): readonly string[] =>
  deriveKeys(secrets, 'fingerprint').map((key) => Buffer.from(key).toString('hex', 0, 16))

/** A secret that something in the database may be made with. */
interface SecretRecord {
  readonly fingerprint: string
  readonly inUseFrom: Date
}

/** The last that came into use first. */
async function readSecrets(connection: Connection): Promise<readonly SecretRecord[]> {
  const text =
    'SELECT fingerprint, floor(extract(epoch FROM in_use_from) * 1000) FROM secrets ORDER BY in_use_from DESC'
  const rows = await connection.run({ text, values: [] })
  return rows.map(([fingerprint, ms]) => ({
    fingerprint: String(fingerprint),
    inUseFrom: new Date(Number(ms)),
  }))
}

/** Whether a secret was ever in use. Before there was a record of them there was one for each database. */
export async function hasSecret(connection: Connection): Promise<boolean> {
  const text = 'SELECT EXISTS (SELECT FROM secrets) OR EXISTS (SELECT FROM stores)'
  return (await connection.run({ text, values: [] }))[0]?.[0] === 't'
}

/**
 * The secret that the database needs beside these, if there is one: until when, if it is the one that was in use before
 * the current one. Otherwise the current one is in use from now on.
 */
export async function lackOfSecret(
  connection: Connection,
  secrets: Secrets,
  now: Date,
): Promise<{ readonly until: Date | undefined } | undefined> {
  const current = fingerprintsOf(secrets)
  const all = await readSecrets(connection)
  if (all.some(({ fingerprint }) => !current.includes(fingerprint))) {
    return { until: all[0]?.fingerprint === current[0] ? neededUntil(all[0] as SecretRecord) : undefined }
  }
  const [newest] = all
  if (newest?.fingerprint !== current[0]) {
    // Later than the one before it, whatever the clock says.
    const from = new Date(Math.max(now.getTime(), (newest?.inUseFrom.getTime() ?? 0) + 1))
    const text = `INSERT INTO secrets VALUES ($1, $2) ON CONFLICT (fingerprint) DO UPDATE SET in_use_from = $2`
    await connection.run({ text, values: [current[0], from] })
  }
  return undefined
}

const neededUntil = ({ inUseFrom }: SecretRecord): Date => new Date(inUseFrom.getTime() + neededForMs)

/** Does without all secrets but these. */
export async function forgetOtherSecrets(connection: Connection, secrets: Secrets): Promise<void> {
  const text = 'DELETE FROM secrets WHERE fingerprint <> ALL ($1::text[])'
  await connection.run({ text, values: [fingerprintsOf(secrets)] })
}

/**
 * Seals what is kept with the secret in use, and forgets the previous one when nothing needs it any more. It is done
 * at each start, and time and again: other processes may still write with the previous one.
 */
export const renewSeals = (secrets: Secrets, modules: readonly Module[]): Chore => ({
  name: 'kernel:renew-seals',
  attemptsMax: 1,
  every: '37 * * * *',
  async run(instance) {
    const { database, clock, log } = instance
    const [current, previous] = fingerprintsOf(secrets)
    const all = await readSecrets(database)
    const [newest] = all
    // Another process has come to use a later one, and does it.
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
