import {
  accountRealmId,
  type SignedIn,
  tokenEpochOf,
  userAuthenticationInfos,
  userAuthenticationPasswordProfileInfos,
} from '../identity/index.ts'
import { guarded } from '../kernel/auth/attempts.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Values } from '../kernel/fields.ts'
import { inTransaction } from '../kernel/in-transaction.ts'
import { store } from '../kernel/operations.ts'
import { readSingleton } from '../kernel/singleton.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { autoCreateAccount } from './auto-create-account.ts'

type Newcomer = Values<typeof userAuthenticationInfos.fields> &
  Values<typeof userAuthenticationPasswordProfileInfos.fields>

/** Makes a member of someone who asks for it, where the store wants that: a user, their username and their password. */
export async function signUp(ctx: Ctx, newcomer: Newcomer): Promise<SignedIn> {
  const { enable_self_signup } = await readSingleton(ctx, accountAuthenticationSettings)
  if (!enable_self_signup) throw new Problem('forbidden', 'The setting enable_self_signup is off.')
  const { username, password_profile_id } = newcomer
  // That a username is taken tells that there is such a user: nobody may ask for many.
  const attempt = { at: 'sign-up', whose: `${password_profile_id} ${username.toLowerCase()}` }
  let taken: Problem | undefined
  const signedIn = await guarded(ctx, attempt, () =>
    inTransaction(ctx, (inner) => makeMember(inner, newcomer)).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'conflict')) throw error
      taken = error
      return undefined
    }),
  )
  if (signedIn) return signedIn
  throw taken
}

async function makeMember(ctx: Ctx, newcomer: Newcomer): Promise<SignedIn> {
  const realmId = await accountRealmId(ctx)
  const { username, password, password_profile_id, ...person } = newcomer
  const user = await store(ctx, userAuthenticationInfos, [realmId], person)
  const link = { username, password, password_profile_id }
  await store(ctx, userAuthenticationPasswordProfileInfos, [realmId, user.id], link)
  await autoCreateAccount(ctx, user)
  return { userId: user.id, tokenEpoch: await tokenEpochOf(ctx, user.id) }
}
