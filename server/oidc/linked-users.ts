import { signOutUser, touchLinkedUsers, type UnlinkHandler } from '../identity/index.ts'
import { resource } from '../kernel/declare/resource.ts'
import { oidcProfiles } from './oidc-profiles.ts'
import { userAuthenticationOidcProfileInfos } from './user-authentication-oidc-profile-infos.ts'

/** Links of users, with a handler for users who are unlinked or linked to another identity. */
export const defineLinks = (onUnlinked: UnlinkHandler): typeof userAuthenticationOidcProfileInfos =>
  resource({
    ...userAuthenticationOidcProfileInfos,
    afterWrite: async (work, { scope, doc }, before) => {
      if (!before || (doc.subject === before.doc.subject && doc.issuer === before.doc.issuer)) return
      await onUnlinked(work, scope.slice(1))
    },
    beforeDelete: (work, { scope }) => signOutUser(work, scope),
    afterDelete: (work, { scope }) => onUnlinked(work, scope.slice(1)),
  })

/** Profiles. Deleting one deletes its links and signs out their users. */
export const defineProfiles = (onUnlinked: UnlinkHandler): typeof oidcProfiles =>
  resource({
    ...oidcProfiles,
    beforeDelete: async (work, profile) => {
      const links = userAuthenticationOidcProfileInfos
      await onUnlinked(work, await touchLinkedUsers(work, links, 'oidc_profile_id', profile))
    },
  })
