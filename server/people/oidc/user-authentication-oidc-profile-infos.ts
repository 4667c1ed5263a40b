import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isUnchanged } from '../../kernel/write/drafts.ts'
import { identityEnvelope } from '../identity/identity-envelope.ts'
import { lastStoreAdmin } from '../identity/last-store-admin.ts'
import { mustManageRealm } from '../identity/must-manage-realm.ts'
import { mustHaveUser, signOutUser, touchUser } from '../identity/touch-users.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { onUsersUnlinked } from '../identity/user-hooks.ts'
import { issuerMax, issuerOf, oidcProfiles } from './oidc-profiles.ts'

const noProfile = {
  code: 'unprocessable',
  detail: 'data.oidc_profile_id must be the id of an OIDC profile of this realm.',
  source: 'data.oidc_profile_id',
} as const

const fields = {
  // OpenID Connect Core §2 allows 255 characters. A link without a subject gets one later.
  subject: text({
    min: 1,
    max: 255,
    about: 'The identifier of the user at the issuer: the `sub` of its ID tokens.',
    example: 'a1b2c3',
  }),
  issuer: text({
    format: 'uri',
    max: issuerMax,
    about: 'The issuer of the ID tokens: their `iss`. A create without it takes the issuer of the profile.',
    example: 'https://id.example.com',
  }),
  oidc_profile_id: reference('oidc-profile', {
    required: true,
    immutable: true,
    about: 'The OIDC profile of the provider, which must be in the same realm.',
  }),
}

/** SQL of what an issuer is compared by: people copy it with a slash at its end, or without. */
export const withoutSlash = (issuer: string): string => `rtrim(${issuer}, '/')`

export const userAuthenticationOidcProfileInfos = resource({
  type: 'user_authentication_oidc_profile_info',
  noun: ['user-authentication-oidc-profile-info', 'user-authentication-oidc-profile-infos'],
  about: 'The identity of a user at an OpenID Connect provider.',
  path: '/v2/authentication-realms/:realm_id/user-authentication-info/:user_authentication_info_id/user-authentication-oidc-profile-info',
  table: 'user_authentication_oidc_profile_infos',
  addedUnder: 'user-authentication-oidc-profile-info',
  personal: ['user_authentication_info_id'],
  parent: () => userAuthenticationInfos,
  fields,
  area: 'user-authentication-oidc-profile-info',
  envelope: identityEnvelope,
  beforeWrite: prepare,
  // Another identity is another person.
  afterWrite: async (work, { scope, doc }, before) => {
    if (!before || (doc.subject === before.doc.subject && doc.issuer === before.doc.issuer)) return
    await onUsersUnlinked(work, scope.slice(1))
  },
  beforeDelete: async (work, { scope }) => {
    await mustManageRealm(work, scope[0])
    await signOutUser(work, scope)
  },
  afterDelete: (work, { scope }) => onUsersUnlinked(work, scope.slice(1)),
  constraints: {
    ...lastStoreAdmin,
    user_authentication_oidc_profile_infos_profile_fkey: noProfile,
    user_authentication_oidc_profile_infos_identity_key: {
      code: 'conflict',
      detail:
        'This issuer (with or without a slash at its end) and subject are already linked to a user by this OIDC profile.',
      source: 'data.subject',
    },
  },
})

async function prepare(work: Work, draft: Draft<typeof fields>): Promise<void> {
  const { scope, values, before } = draft
  await mustManageRealm(work, scope[0])
  if (!before) {
    await mustHaveUser(work, scope)
    const profile = await work.store.find(oidcProfiles, values.oidc_profile_id, scope.slice(0, 1))
    if (!profile) throw new Problem(noProfile.code, noProfile.detail, { source: noProfile.source })
    // A subject without an issuer identifies nobody, and one person could be linked to two users.
    values.issuer ??= issuerOf(profile)
  }
  if (isUnchanged(fields, draft)) return
  const isSameIdentity =
    before && values.subject === before.doc.subject && values.issuer === before.doc.issuer
  await (isSameIdentity ? touchUser : signOutUser)(work, scope)
}
