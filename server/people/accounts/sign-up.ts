import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { mustBeWithinRate } from '../../kernel/attempts/rates.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { New } from '../../kernel/shape/fields.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add, insert } from '../../kernel/write/by-rules.ts'
import { foldCase } from '../identity/fold-case.ts'
import { accountRealmId } from '../identity/realm-id.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/user-authentication-password-profile-infos.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { autoCreateAccount } from './auto-create-account.ts'

type Newcomer = New<typeof userAuthenticationInfos.fields> &
  New<typeof userAuthenticationPasswordProfileInfos.fields>

/** Creates a member if the setting allows it: a user with a username and a password. */
export async function signUp(work: Work, newcomer: Newcomer): Promise<SignIn> {
  const { enable_self_signup } = await readSingleton(work, accountAuthenticationSettings)
  if (!enable_self_signup)
    throw new Problem('forbidden', 'Shoppers cannot sign up: the setting enable_self_signup is off.')
  mustBeWithinRate(work, 'signUps')
  await countIfTaken(work, newcomer)
  const id = newId()
  return work.actingAs(id).transaction((inner) => makeMember(inner, id, newcomer))
}

/** A conflict reveals that the user exists, so a caller can try only a few usernames. */
async function countIfTaken(work: Work, { username, password_profile_id }: Newcomer): Promise<void> {
  const name = await foldCase(work, username)
  await limitAttempts(work, { action: 'sign-up', owner: `${password_profile_id} ${name}` }, async () => {
    const [taken] = await work.store.run(
      `SELECT 1 FROM user_authentication_password_profile_infos
       WHERE store_id = $1 AND password_profile_id = $2 AND ${caseless('username')} = $3`,
      password_profile_id,
      name,
    )
    return taken ? undefined : true
  })
}

async function makeMember(work: Work, id: string, newcomer: Newcomer): Promise<SignIn> {
  const realmId = await accountRealmId(work)
  const { username, password, password_profile_id, ...person } = newcomer
  // Without the rules of the resource: those of changes by shoppers of themselves.
  const user = await insert(work, userAuthenticationInfos, [realmId], { ...person, email_claimed: true }, id)
  const link = { username, password, password_profile_id }
  await add(work, userAuthenticationPasswordProfileInfos, [realmId, user.id], link)
  await autoCreateAccount(work, user)
  return { userId: user.id, tokenEpoch: await tokenEpochOf(work, user.id) }
}
