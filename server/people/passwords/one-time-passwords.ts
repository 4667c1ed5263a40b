import { randomInt } from 'node:crypto'
import { slowHash } from '../../kernel/attempts/slow-hash.ts'
import type { Keys } from '../../kernel/auth/keys.ts'
import { open, seal } from '../../kernel/auth/seal.ts'
import { record } from '../../kernel/feed/record.ts'
import { columns, flag } from '../../kernel/storage/columns.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Chore, Job } from '../../kernel/work/job.ts'
import { userAuthenticationPasswordProfileInfos } from './user-authentication-password-profile-infos.ts'

interface OneTimePasswordRequest {
  readonly realmId: string
  readonly profileId: string
  readonly username: string
  readonly purpose: 'reset_password' | 'passwordless_authentication'
  /** The password: sealed for the service that sends it, hashed for the sign-in. */
  readonly sealed: string
  readonly hash: string
}

const lifetimeMs = 10 * 60 * 1000

// Without letters and digits that look alike, because people type the password from one screen into another.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 6

/** Generates a password, sealed and hashed: it is never stored in the clear. */
export async function newOneTimePassword(work: Work): Promise<{ sealed: string; hash: string }> {
  const password = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return { sealed: seal(work.instance.sealKeys, password), hash: await slowHash(work, password) }
}

/** Undoes what keyboards and copying add: a capital at the start, and spaces. */
export const normalizePassword = (typed: string): string => typed.trim().toLowerCase()

interface UserMatch {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  readonly emailUnproven: boolean
  readonly link: { readonly id: string; readonly password_profile_id: string; readonly username: string }
}

/**
 * Stores the requested password for the user, if there is one, and records the event for the service that sends it. It
 * is a job, so that the request takes the same time whether or not the user exists.
 */
export const giveOneTimePassword: Job<OneTimePasswordRequest> = {
  name: 'passwords:give-one-time-password',
  attemptsMax: 5,
  run: async (work, request) => {
    const match = await findUser(work, request)
    if (!match) return
    // Only a token proved this address: someone who found the token would gain lasting access to the account.
    if (match.emailUnproven && work.instance.strictPasswords) return
    await work.transaction(async (work) => {
      if (!(await storePassword(work, request, match))) return
      await recordEvent(work, request, match)
      if (!work.instance.mail) return
      const expiresAtMs = work.clock.now().getTime() + lifetimeMs
      await work.later(mailOneTimePassword, { linkId: match.link.id, sealed: request.sealed, expiresAtMs })
    })
  },
}

const matchColumns = columns({
  id: 'u.id',
  name: 'u.name',
  email: 'u.email',
  emailUnproven: ["u.hidden->>'email_unproven' = 'true'", flag],
  linkId: 'l.id',
  linkName: 'l.username',
})

async function findUser(
  { store }: Work,
  { realmId, profileId, username }: OneTimePasswordRequest,
): Promise<UserMatch | undefined> {
  const [row] = await store.run(
    `SELECT ${matchColumns.sql}
     FROM user_authentication_password_profile_infos l
     JOIN user_authentication_infos u ON u.store_id = $1 AND u.id = l.user_authentication_info_id
     WHERE l.store_id = $1 AND l.realm_id = $2 AND l.password_profile_id = $3
       AND ${caseless('l.username')} = ${caseless('$4')}`,
    realmId,
    profileId,
    username,
  )
  if (!row) return undefined
  const { emailUnproven, linkId, linkName, ...user } = matchColumns.read(row)
  return { user, emailUnproven, link: { id: linkId, password_profile_id: profileId, username: linkName } }
}

/** Stores the password, and replaces an earlier one. False if the user has been unlinked in the meantime. */
async function storePassword(
  { store, clock }: Work,
  { hash: hashed }: OneTimePasswordRequest,
  { user, link }: UserMatch,
): Promise<boolean> {
  if (!(await store.lockShared(userAuthenticationPasswordProfileInfos, link.id))) return false
  await store.run(
    `INSERT INTO one_time_passwords (store_id, password_link_id, hash, expires_at, email) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (store_id, password_link_id)
     DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at, email = excluded.email`,
    link.id,
    hashed,
    new Date(clock.now().getTime() + lifetimeMs),
    user.email,
  )
  return true
}

/** Records the event. The password is sealed in it, because the change feed may be read or copied. */
async function recordEvent(
  work: Work,
  { realmId, profileId, purpose, sealed }: OneTimePasswordRequest,
  { user, link }: UserMatch,
): Promise<void> {
  const time = work.clock.now().toISOString().replace('Z', '+00:00')
  const doc = {
    authentication_realm_id: realmId,
    password_profile_id: profileId,
    purpose,
    sealed_one_time_password_token: sealed,
    user_authentication_info: user,
    user_authentication_password_profile_info: link,
    created_at: time,
    updated_at: time,
  }
  const type = 'one-time-password-token-request'
  await record(work, { event: `${type}.created`, type, scope: profileId, doc })
}

/**
 * The event with the password in the clear, for the service that sends it. Only the delivery of events may call this.
 */
export function openOneTimePasswordEvent(
  sealKeys: Keys,
  doc: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { sealed_one_time_password_token, ...event } = doc
  return { ...event, one_time_password_token: open(sealKeys, sealed_one_time_password_token as string) }
}

/** The password to mail. The queue contains neither the password nor the address in the clear. */
interface Letter {
  readonly linkId: string
  readonly sealed: string
  readonly expiresAtMs: number
}

/** Mails the requested password to the user. If it runs twice, it sends the same password twice. */
export const mailOneTimePassword: Job<Letter> = {
  name: 'passwords:mail-one-time-password',
  // The last one is four minutes after the first: a later code finds nobody who waits for it.
  attemptsMax: 6,
  callsOut: () => 'mail',
  run: async ({ store, clock, instance: { mail, sealKeys } }, { linkId, sealed, expiresAtMs }) => {
    // The password has expired, or mail has been switched off.
    if (!mail || clock.now().getTime() >= expiresAtMs) return
    const [row] = await store.run(
      `SELECT o.email, s.name FROM one_time_passwords o JOIN stores s ON s.id = o.store_id
       WHERE o.store_id = $1 AND o.password_link_id = $2`,
      linkId,
    )
    // The password was used, or the credentials of the user have changed.
    if (!row) return
    const [email, shop] = row as [string, string]
    const lines = [
      `Your code for ${shop} is: ${open(sealKeys, sealed)}`,
      '',
      'It is valid for one sign-in within ten minutes. If you did not request it, you can ignore this message.',
    ]
    await mail.send(email, `Your code for ${shop}`, lines.join('\n'))
  },
}

/** Deletes expired one-time passwords. */
export const forgetOneTimePasswords: Chore = {
  name: 'passwords:forget-one-time-passwords',
  attemptsMax: 1,
  every: '*/10 * * * *',
  run: async ({ database, clock }) => {
    await database.run({
      text: `WITH ended AS MATERIALIZED (
               SELECT store_id, password_link_id FROM one_time_passwords WHERE expires_at <= $1)
             DELETE FROM one_time_passwords o USING ended
             WHERE o.store_id = ended.store_id AND o.password_link_id = ended.password_link_id`,
      values: [clock.now()],
    })
  },
}
