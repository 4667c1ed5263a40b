import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { accountRealmId } from '../identity/store-realms.ts'
import type { NewUser } from '../identity/user-hooks.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { accountMemberships } from './account-memberships.ts'
import { accounts } from './accounts.ts'

/** If the setting says so, creates an account for a new member, with the same name. Needs the user's transaction. */
export async function autoCreateAccount(work: Work, user: NewUser): Promise<void> {
  if (user.scope[0] !== (await accountRealmId(work))) return
  const settings = await readSingleton(work, accountAuthenticationSettings)
  if (!settings.auto_create_account_for_account_members) return
  const { name } = user.doc
  const account = await add(work, accounts, [], { name, made_for: user.id })
  await add(work, accountMemberships, [account.id], { account_member_id: user.id })
}
