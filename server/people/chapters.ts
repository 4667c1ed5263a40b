import { mayUseEntries } from '../fields/index.ts'
import { addFilters, fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { accountAddresses } from './accounts/account-addresses.ts'
import { accountAuthenticationSettings } from './accounts/account-authentication-settings.ts'
import {
  accountMembers,
  listUnassignedAccountMembers,
  updateAccountMember,
} from './accounts/account-members.ts'
import { accountMembershipSettings } from './accounts/account-membership-settings.ts'
import { accountMemberships, membershipsOfMember } from './accounts/account-memberships.ts'
import { accountTags, accountTagsOfAccount } from './accounts/account-tags.ts'
import { accounts as accountResource } from './accounts/accounts.ts'
import { autoCreateAccount } from './accounts/auto-create-account.ts'
import { createAccountMemberTokens } from './accounts/create-account-member-tokens.ts'
import { acceptByEmail } from './colleagues/accept-invitation.ts'
import { changeOwnPassword } from './colleagues/change-own-password.ts'
import {
  colleagueSessions,
  deleteColleagueSession,
  forgetColleagueSessions,
  getColleagueSession,
  listColleagueSessions,
} from './colleagues/colleague-sessions.ts'
import { createColleagueToken } from './colleagues/create-colleague-token.ts'
import { getColleagueSignIn } from './colleagues/get-colleague-sign-in.ts'
import { forgetInvitations, invitations } from './colleagues/invitations.ts'
import { inviteColleague } from './colleagues/invite-colleague.ts'
import { mailInvitation } from './colleagues/mail-invitation.ts'
import { requestColleaguePassword } from './colleagues/request-colleague-password.ts'
import { getOwnPermissions, roleAssignments } from './colleagues/role-assignments.ts'
import { createCustomerToken } from './customers/create-customer-token.ts'
import { customerAddresses } from './customers/customer-addresses.ts'
import { forgetPasswords } from './customers/customer-passwords.ts'
import { customers as customerResource } from './customers/customers.ts'
import { mailEmailChange } from './identity/announce-email-change.ts'
import { authenticationRealms } from './identity/authentication-realms.ts'
import { getOwnMerchantRealmMapping, merchantRealmMappings } from './identity/merchant-realm-mappings.ts'
import { createRealms, getCustomerAuthenticationSettings } from './identity/store-realms.ts'
import { userAuthenticationInfos } from './identity/user-authentication-infos.ts'
import { checkPasswordOf, findAwaitedUser, onUserCreated, onUsersUnlinked } from './identity/user-hooks.ts'
import { applicationKeys, createApplicationKey } from './keys/application-keys.ts'
import { getAccessToken } from './keys/get-access-token.ts'
import { finishOidcLogin } from './oidc/finish-oidc-login.ts'
import { getOidcConfiguration } from './oidc/get-oidc-configuration.ts'
import { byIdentity } from './oidc/linked-users.ts'
import { oidcProfiles, renewClientSecrets } from './oidc/oidc-profiles.ts'
import { forgetSignIns } from './oidc/sign-in-code.ts'
import { startOidcLogin } from './oidc/start-oidc-login.ts'
import { userAuthenticationOidcProfileInfos } from './oidc/user-authentication-oidc-profile-infos.ts'
import { createOneTimePasswordTokenRequest } from './passwords/create-one-time-password-token-request.ts'
import {
  forgetOneTimePasswords,
  giveOneTimePassword,
  mailOneTimePassword,
} from './passwords/one-time-passwords.ts'
import { passwordProfiles } from './passwords/password-profiles.ts'
import { findUserWithAnyPassword } from './passwords/sign-in-with-password.ts'
import { userAuthenticationPasswordProfileInfos } from './passwords/user-authentication-password-profile-infos.ts'
import { getBuiltInRole, listBuiltInRoles } from './permissions/built-in-roles.ts'
import { customApiRolePolicies, isGranted } from './permissions/custom-api-role-policies.ts'

export const keys = module({
  name: 'keys',
  about: 'Application keys and access tokens.',
  resources: [applicationKeys],
  actions: [getAccessToken, createApplicationKey],
})

export const permissions = module({
  name: 'permissions',
  about: 'Roles and their rights in custom APIs.',
  resources: [customApiRolePolicies],
  actions: [listBuiltInRoles, getBuiltInRole],
  adds: [fill(mayUseEntries, isGranted)],
})

export const identity = module({
  name: 'identity',
  about: 'Authentication realms and their users.',
  resources: [authenticationRealms, merchantRealmMappings, userAuthenticationInfos],
  actions: [getCustomerAuthenticationSettings, getOwnMerchantRealmMapping],
  jobs: [mailEmailChange],
  firstDay: createRealms,
})

export const passwords = module({
  name: 'passwords',
  about: 'Password profiles, usernames and passwords of users, and one-time passwords.',
  resources: [passwordProfiles, userAuthenticationPasswordProfileInfos],
  actions: [createOneTimePasswordTokenRequest],
  jobs: [giveOneTimePassword, mailOneTimePassword],
  chores: [forgetOneTimePasswords],
  adds: [fill(checkPasswordOf, findUserWithAnyPassword)],
})

export const oidc = module({
  name: 'oidc',
  about:
    'Sign-in at OpenID Connect providers: profiles, the identities of users, and the redirects of the browser.',
  resources: [oidcProfiles, userAuthenticationOidcProfileInfos],
  actions: [startOidcLogin, finishOidcLogin, getOidcConfiguration],
  chores: [forgetSignIns],
  renewSeals: renewClientSecrets,
  adds: [addFilters(userAuthenticationInfos, { has_oidc_profile_info: byIdentity })],
})

export const colleagues = module({
  name: 'colleagues',
  about: 'Colleagues: the roles of the users of the merchant realm, and their sign-ins.',
  resources: [roleAssignments, colleagueSessions, invitations],
  actions: [
    getColleagueSignIn,
    createColleagueToken,
    requestColleaguePassword,
    inviteColleague,
    listColleagueSessions,
    getColleagueSession,
    deleteColleagueSession,
    getOwnPermissions,
    changeOwnPassword,
  ],
  jobs: [mailInvitation],
  chores: [forgetColleagueSessions, forgetInvitations],
  adds: [fill(findAwaitedUser, acceptByEmail)],
})

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

export const customers = module({
  name: 'customers',
  about: 'Customers, their addresses and their sign-in.',
  resources: [customerResource, customerAddresses],
  actions: [createCustomerToken],
  adds: [fill(onUsersUnlinked, forgetPasswords)],
})
