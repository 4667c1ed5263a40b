import { type SignedIn, userAuthenticationInfos } from '../identity/index.ts'
import { guarded } from '../kernel/attempts/attempts.ts'
import { slowVerify } from '../kernel/attempts/slow-hash.ts'
import { unauthorized } from '../kernel/auth/tokens.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { asMade } from './give-one-time-password.ts'

/** Where a username is looked for. */
interface Named {
  readonly password_profile_id: string
  readonly username: string
}

interface Credentials extends Named {
  readonly password: string
}

/** The user with this username and password; a Problem (401) when there is none. */
export async function signInWithPassword(
  work: Work,
  realmId: string,
  credentials: Credentials,
): Promise<SignedIn> {
  const signedIn = await userWithPassword(work, realmId, credentials)
  if (!signedIn) throw unauthorized('The username or the password is not valid.')
  return signedIn
}

/** Who signs in with these; undefined, and counted as a guess, after the same work whichever is wrong. */
export async function userWithPassword(
  work: Work,
  realmId: string,
  { password, ...named }: Credentials,
): Promise<SignedIn | undefined> {
  const { user, username, passwordHash } = await lookUp(work, realmId, named)
  return guarded(work, attemptOf(named, username), async () => {
    const good = await slowVerify(work, passwordHash ?? nobodysHash, password)
    return good && passwordHash ? user : undefined
  })
}

// An administrator may give a user as many usernames as they like. Each is a hash to compare with.
const usernamesMax = 10

/** Who signs in with this password and one of the user's usernames, as `userWithPassword`. */
export async function userWithAnyPassword(
  work: Work,
  { id, scope: [realmId = ''] }: Pick<Row, 'id' | 'scope'>,
  password: string,
): Promise<SignedIn | undefined> {
  const rows = await work.store.rows(
    `SELECT password_profile_id, username FROM user_authentication_password_profile_infos
     WHERE store_id = $1 AND realm_id = $2 AND user_authentication_info_id = $3 ORDER BY created_at, id LIMIT ${usernamesMax}`,
    realmId,
    id,
  )
  for (const [password_profile_id, username] of rows as [string, string][]) {
    const signedIn = await userWithPassword(work, realmId, { password_profile_id, username, password })
    if (signedIn) return signedIn
  }
  return undefined
}

/** The same with a password that is good once. Of two who use it at the same time, one signs in. */
export async function signInWithOneTimePassword(
  work: Work,
  realmId: string,
  { one_time_password_token, ...named }: Named & { readonly one_time_password_token: string },
): Promise<SignedIn> {
  const { user, username, linkId, oneTimeHash, enabled } = await lookUp(work, realmId, named)
  if (!enabled) {
    throw new Problem(
      'unprocessable',
      'The password profile does not allow one-time passwords: its enable_one_time_password_token is false.',
      {
        source: 'data.password_profile_id',
      },
    )
  }
  const signedIn = await guarded(work, attemptOf(named, username), async () => {
    const good = await slowVerify(work, oneTimeHash ?? nobodysHash, asMade(one_time_password_token))
    return good && oneTimeHash ? user : undefined
  })
  // Used up only when it is known that the user is told: a refusal would lose it.
  if (!signedIn || !(await useUp(work, signedIn.userId, linkId, oneTimeHash))) {
    throw unauthorized(
      'The username or the one-time password is not valid, or the one-time password has expired.',
    )
  }
  return signedIn
}

/** False when someone else was first. Whoever has the password reads what is sent to the address: it is theirs. */
async function useUp(
  work: Work,
  userId: string,
  linkId: string | null | undefined,
  hash: string | null | undefined,
): Promise<boolean> {
  return work.actingAs(userId).transaction(async ({ store }) => {
    // The user first, as everyone does: see touchUser.
    await store.hold(userAuthenticationInfos, userId)
    const [used] = await store.rows(
      `DELETE FROM one_time_passwords WHERE store_id = $1 AND password_link_id = $2 AND hash = $3 RETURNING email`,
      linkId,
      hash,
    )
    if (!used) return false
    await store.changeAll(userAuthenticationInfos, {
      where: (bind) =>
        `r.id = ${bind(userId)} AND r.email = ${bind(used[0])}
         AND (r.hidden->>'email_claimed' = 'true' OR r.hidden->>'email_unproven' = 'true')`,
      hidden: () => `(r.hidden::jsonb - 'email_claimed' - 'email_unproven')::json`,
    })
    return true
  })
}

// Wrong passwords and wrong one-time passwords count together: both are guesses at the same user.
const attemptOf = ({ password_profile_id }: Named, username: string) => ({
  at: 'sign-in-with-password',
  whose: `${password_profile_id} ${username}`,
})

/** Of a random password nobody knows, compared with where there is none. Costs what every other hash costs. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$sai5y4PmvUvzS91/xmSorA$2RLShsyqsmwHJ8HiyNB6tdEHzW/s70JnVjxqyfEviHo'

/** What is stored for a username, in one look: a user whose tokens are ended meanwhile gets tokens that are ended. */
async function lookUp(work: Work, realmId: string, { password_profile_id, username }: Named) {
  const [row] = await work.store.rows(
    `SELECT lower($4::text COLLATE "default"), p.doc->>'enable_one_time_password_token', l.id,
       l.user_authentication_info_id, coalesce(e.epoch, 0), l.hidden->>'password_hash', o.hash
     FROM password_profiles p
     LEFT JOIN user_authentication_password_profile_infos l ON l.store_id = $1 AND l.realm_id = $2
       AND l.password_profile_id = $3 AND lower(l.username COLLATE "default") = lower($4::text COLLATE "default")
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
  const [folded, enabled, linkId, userId, epoch, passwordHash, oneTimeHash] = row
  return {
    // As the database folds it, which decides whose it is.
    username: folded as string,
    enabled: enabled === 'true',
    linkId,
    user: userId ? { userId, tokenEpoch: Number(epoch) } : undefined,
    passwordHash,
    oneTimeHash,
  }
}
