import { signOutUser, touchLinkedUsers, type WhenUnlinked } from '../identity/index.ts'
import { resource } from '../kernel/declare/resource.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

/** Links, with what other modules do about a user who is linked to nobody, or to someone else, from now on. */
export const linksWith = (whenUnlinked: WhenUnlinked): typeof userAuthenticationOidcProfileInfos =>
  resource({
    ...userAuthenticationOidcProfileInfos,
    afterWrite: async (work, { scope, doc }, before) => {
      if (!before || (doc.subject === before.doc.subject && doc.issuer === before.doc.issuer)) return
      await whenUnlinked(work, scope.slice(1))
    },
    beforeDelete: (work, { scope }) => signOutUser(work, scope),
    afterDelete: (work, { scope }) => whenUnlinked(work, scope.slice(1)),
  })

/** Profiles: with one all of its links go. */
export const profilesWith = (whenUnlinked: WhenUnlinked): typeof oidcProfiles =>
  resource({
    ...oidcProfiles,
    beforeDelete: async (work, profile) => {
      const links = userAuthenticationOidcProfileInfos
      await whenUnlinked(work, await touchLinkedUsers(work, links, 'oidc_profile_id', profile))
    },
  })
