import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { onUserCreated } from '../identity/user-hooks.ts'
import { accountAddresses } from './account-addresses.ts'
import { accountAuthenticationSettings } from './account-authentication-settings.ts'
import { accountMembers } from './account-members.ts'
import { accountMembershipSettings } from './account-membership-settings.ts'
import { accountMemberships, membershipsOfMember } from './account-memberships.ts'
import { accountTags } from './account-tags.ts'
import { accountTagsOfAccount } from './account-tags-of-account.ts'
import { accounts as accountResource } from './accounts.ts'
import { autoCreateAccount } from './auto-create-account.ts'
import { createAccountMemberTokens } from './create-account-member-tokens.ts'
import { listUnassignedAccountMembers } from './list-unassigned-account-members.ts'
import { updateAccountMember } from './update-account-member.ts'

export const accounts = module({
  name: 'accounts',
  about: 'Accounts and their members, addresses and tags.',
  resources: [
    accountResource,
    accountMembers,
    accountMemberships,
    membershipsOfMember,
    accountAddresses,
    accountTags,
  ],
  singletons: [accountMembershipSettings, accountAuthenticationSettings],
  relationships: [accountTagsOfAccount],
  actions: [listUnassignedAccountMembers, updateAccountMember, createAccountMemberTokens],
  adds: [fill(onUserCreated, autoCreateAccount)],
})
