import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { slowVerify } from '../../kernel/attempts/slow-hash.ts'
import { unauthorized } from '../../kernel/auth/tokens.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { columns, flag, number, optionalText } from '../../kernel/storage/columns.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { normalizePassword } from './one-time-passwords.ts'

/** A username in a password profile. */
interface Login {
  readonly password_profile_id: string
  readonly username: string
}

interface PasswordCredentials extends Login {
  readonly password: string
}

/** Signs in the user with this username and password. Throws a Problem (401) if there is none. */
export async function signInWithPassword(
  work: Work,
  realmId: string,
  credentials: PasswordCredentials,
): Promise<SignIn> {
  const signedIn = await findUserWithPassword(work, realmId, credentials)
  if (!signedIn) throw unauthorized('The username or the password is not valid.')
  return signedIn
}

/**
 * Finds the user with these credentials. If they are wrong, it returns undefined after the same time, and counts a
 * guess.
 */
export async function findUserWithPassword(
  work: Work,
  realmId: string,
  { password, ...named }: PasswordCredentials,
): Promise<SignIn | undefined> {
  const { user, username, passwordHash } = await findCredentials(work, realmId, named)
  return limitAttempts(work, attemptOf(named, username), async () => {
    const isCorrect = await slowVerify(work, passwordHash ?? dummyHash, password)
    return isCorrect && passwordHash ? user : undefined
  })
}

// An administrator can create any number of usernames for a user, and each costs a hash to compare with.
const usernamesMax = 10

/** As `findUserWithPassword`, with any of the user's usernames. `linkId` is the id of that with the password. */
export async function findUserWithAnyPassword(
  work: Work,
  { id, scope: [realmId = ''] }: Pick<Row, 'id' | 'scope'>,
  password: string,
): Promise<(SignIn & { readonly linkId: string }) | undefined> {
  const rows = await work.store.run(
    `SELECT id, password_profile_id, username FROM user_authentication_password_profile_infos
     WHERE store_id = $1 AND realm_id = $2 AND user_authentication_info_id = $3 ORDER BY created_at, id LIMIT ${usernamesMax}`,
    realmId,
    id,
  )
  for (const [linkId, password_profile_id, username] of rows as [string, string, string][]) {
    const signedIn = await findUserWithPassword(work, realmId, { password_profile_id, username, password })
    if (signedIn) return { ...signedIn, linkId }
  }
  return undefined
}

/** Whether the user has a username and a password. */
export async function hasPassword(
  { store }: Work,
  { id, scope: [realmId = ''] }: Pick<Row, 'id' | 'scope'>,
): Promise<boolean> {
  const rows = await store.run(
    `SELECT 1 FROM user_authentication_password_profile_infos
     WHERE store_id = $1 AND realm_id = $2 AND user_authentication_info_id = $3 LIMIT 1`,
    realmId,
    id,
  )
  return rows.length > 0
}

/** As `signInWithPassword`, with a one-time password. Of two concurrent sign-ins with it, one succeeds. */
export async function signInWithOneTimePassword(
  work: Work,
  realmId: string,
  { one_time_password_token, ...named }: Login & { readonly one_time_password_token: string },
): Promise<SignIn> {
  const { user, username, linkId, oneTimeHash, enabled } = await findCredentials(work, realmId, named)
  if (!enabled) {
    throw new Problem(
      'unprocessable',
      'The password profile does not allow one-time passwords: its enable_one_time_password_token is false.',
      {
        source: 'data.password_profile_id',
      },
    )
  }
  const signedIn = await limitAttempts(work, attemptOf(named, username), async () => {
    const isCorrect = await slowVerify(
      work,
      oneTimeHash ?? dummyHash,
      normalizePassword(one_time_password_token),
    )
    return isCorrect && oneTimeHash ? user : undefined
  })
  // Used up only now, when the sign-in is sure to succeed: a refusal must not consume it.
  if (!signedIn || !(await useUp(work, signedIn.userId, linkId, oneTimeHash))) {
    throw unauthorized(
      'The username or the one-time password is not valid, or the one-time password has expired.',
    )
  }
  return signedIn
}

/** Deletes the password; false if it is already used. Having it proves that the user reads mail at the address. */
async function useUp(
  work: Work,
  userId: string,
  linkId: string | null | undefined,
  hash: string | null | undefined,
): Promise<boolean> {
  return work.actingAs(userId).transaction(async ({ store }) => {
    // The user is locked first, as everywhere: see touchUser.
    await store.lock(userAuthenticationInfos, userId)
    const [row] = await store.run(
      `DELETE FROM one_time_passwords WHERE store_id = $1 AND password_link_id = $2 AND hash = $3 RETURNING email`,
      linkId,
      hash,
    )
    if (!row) return false
    await store.changeAll(userAuthenticationInfos, {
      where: (bind) =>
        `r.id = ${bind(userId)} AND r.email = ${bind(row[0])}
         AND (r.hidden->>'email_claimed' = 'true' OR r.hidden->>'email_unproven' = 'true')`,
      hidden: () => `(r.hidden::jsonb - 'email_claimed' - 'email_unproven')::json`,
    })
    return true
  })
}

// Wrong passwords and wrong one-time passwords share a counter: both are guesses at the same user.
const attemptOf = ({ password_profile_id }: Login, username: string) => ({
  action: 'sign-in-with-password',
  owner: `${password_profile_id} ${username}`,
})

/** The hash of a random password, to compare with if the user has none. It costs as much as every other hash. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$sai5y4PmvUvzS91/xmSorA$2RLShsyqsmwHJ8HiyNB6tdEHzW/s70JnVjxqyfEviHo'

const credentialColumns = columns({
  // Folded by the database, which decides whose username it is.
  username: caseless('$4::text'),
  enabled: ["p.doc->>'enable_one_time_password_token' = 'true'", flag],
  linkId: ['l.id', optionalText],
  userId: ['l.user_authentication_info_id', optionalText],
  tokenEpoch: ['coalesce(e.epoch, 0)', number],
  passwordHash: ["l.hidden->>'password_hash'", optionalText],
  oneTimeHash: ['o.hash', optionalText],
})

/**
 * Reads the credentials of a username. One statement reads the token epoch too, so tokens revoked since are not valid.
 */
async function findCredentials(work: Work, realmId: string, { password_profile_id, username }: Login) {
  const [row] = await work.store.run(
    `SELECT ${credentialColumns.sql}
     FROM password_profiles p
     LEFT JOIN user_authentication_password_profile_infos l ON l.store_id = $1 AND l.realm_id = $2
       AND l.password_profile_id = $3 AND ${caseless('l.username')} = ${caseless('$4::text')}
     LEFT JOIN user_token_epochs e ON e.store_id = $1 AND e.user_id = l.user_authentication_info_id
     LEFT JOIN user_authentication_infos u ON u.store_id = $1 AND u.id = l.user_authentication_info_id
     LEFT JOIN one_time_passwords o ON o.store_id = $1 AND o.password_link_id = l.id AND o.expires_at > $5
       AND o.email = u.email
     WHERE p.store_id = $1 AND p.realm_id = $2 AND p.id = $3`,
    realmId,
    password_profile_id,
    username,
    work.clock.now(),
  )
  if (!row) {
    throw notFound('password profile', password_profile_id, { source: 'data.password_profile_id' })
  }
  const { userId, tokenEpoch, ...credentials } = credentialColumns.read(row)
  return { ...credentials, user: userId ? { userId, tokenEpoch } : undefined }
}
