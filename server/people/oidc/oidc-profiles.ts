import { seal, tryOpen } from '../../kernel/auth/seal.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { isId } from '../../kernel/ids.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { renewMember } from '../../kernel/work/sealed-members.ts'
import { authenticationRealms } from '../identity/authentication-realms.ts'
import { identityEnvelope } from '../identity/identity-envelope.ts'
import { lastStoreAdmin } from '../identity/last-store-admin.ts'
import { mustManageRealm } from '../identity/must-manage-realm.ts'
import { touchLinkedUsers } from '../identity/touch-users.ts'
import { onUsersUnlinked } from '../identity/user-hooks.ts'

export const issuerMax = 1024

const links = { table: 'user_authentication_oidc_profile_infos' }

const link = (about: string) => text({ format: 'uri', about })

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'The name in lists.', example: 'Staff directory' }),
  discovery_url: text({
    required: true,
    format: 'uri',
    pattern: /^https?:\/\//,
    max: 1024,
    about: "The http or https address of the provider's configuration.",
    example: 'https://id.example.com/.well-known/openid-configuration',
  }),
  client_id: text({
    required: true,
    min: 1,
    max: 1024,
    about: 'The client id of this store at the provider.',
    example: 'riverside-shop',
  }),
  client_secret: text({
    required: true,
    hidden: true,
    min: 1,
    max: 4096,
    about: 'The client secret of this store at the provider. It is never shown.',
    example: 'a long random secret from the provider',
  }),
  issuer: text({ hidden: true, readOnly: true, max: issuerMax }),
}

export const oidcProfiles = resource({
  type: 'oidc-profile',
  noun: ['oidc-profile', 'oidc-profiles'],
  about: 'An OpenID Connect provider that the users of a realm can sign in with.',
  path: '/v2/authentication-realms/:realm_id/oidc-profiles',
  table: 'oidc_profiles',
  addedUnder: 'oidc-profiles',
  parent: () => authenticationRealms,
  fields,
  area: 'authentication-realms',
  // A storefront must know how shoppers can sign in.
  visible: 'all',
  envelope: identityEnvelope,
  beforeWrite: async (work, draft) => {
    await mustManageRealm(work, draft.scope[0])
    sealSecret(work, draft)
    forgetIssuer(draft)
  },
  constraints: lastStoreAdmin,
  // Deletes its links too.
  beforeDelete: async (work, profile) => {
    await mustManageRealm(work, profile.scope[0])
    await onUsersUnlinked(work, await touchLinkedUsers(work, links, 'oidc_profile_id', profile))
  },
  meta: {
    fields: { issuer: text({ about: 'The issuer of its ID tokens: their `iss`.' }) },
    of: (profile) => ({ issuer: issuerOf(profile) }),
  },
  links: {
    fields: {
      'authorization-endpoint': link('The address that starts a sign-in in a browser.'),
      'callback-endpoint': link('The redirect URI to register at the provider.'),
      'client-discovery-url': link('The discovery document of the realm, for OpenID Connect clients.'),
    },
    of(profile, ctx) {
      const { baseUrl, store } = ctx
      const realm = `stores/${store.id}/authentication-realms/${profile.scope[0]}`
      return {
        'authorization-endpoint': `${baseUrl}/oidc-idp/login/${realm}?elasticpath_commerce_cloud_profile_id=${profile.id}`,
        'callback-endpoint': callbackUrlOf(profile, ctx),
        'client-discovery-url': `${baseUrl}/oidc-idp/${realm}/.well-known/openid-configuration`,
      }
    },
  },
})

/** The redirect URI to register at the provider. */
export const callbackUrlOf = ({ id, scope: [realmId] }: Row, { baseUrl, store }: Ctx): string =>
  `${baseUrl}/oidc-idp/callback/stores/${store.id}/authentication-realms/${realmId}/oidc-profiles/${id}`

interface IssuerSource {
  readonly doc: { readonly discovery_url: string }
  readonly hidden: { readonly issuer?: string | undefined }
}

/** The issuer that the provider has reported, or else the one derived from its address. */
export const issuerOf = ({ doc, hidden }: IssuerSource): string =>
  hidden.issuer ?? derivedIssuerOf(doc.discovery_url)

/** OpenID Connect Discovery §4 puts the configuration at a fixed path under the issuer. */
export const derivedIssuerOf = (discoveryUrl: string): string =>
  discoveryUrl.replace(/\/\.well-known\/openid[-_]configuration\/?$/, '')

/** Clears the issuer when the address changes, because it may be another provider. */
function forgetIssuer({ values, before }: Draft<typeof fields>): void {
  if (before && values.discovery_url !== before.doc.discovery_url) values.issuer = undefined
}

/** Encrypts the secret instead of hashing it, because the provider needs the secret itself. */
function sealSecret({ instance }: Work, { values, before }: Draft<typeof fields>): void {
  const sealed = before?.hidden.client_secret
  if (values.client_secret === sealed) return
  // The same secret keeps its seal, so that an update with it changes nothing.
  if (sealed !== undefined && tryOpen(instance.sealKeys, sealed) === values.client_secret)
    values.client_secret = sealed
  else values.client_secret = seal(instance.sealKeys, values.client_secret)
}

/** Seals the client secrets again after the operator has replaced the instance's secret. */
export const renewClientSecrets = renewMember({
  table: 'oidc_profiles',
  member: 'client_secret',
  name: 'id',
  describe: (id) => `the client secret of the OIDC profile ${id}`,
})

export type OidcProfile = Row<typeof oidcProfiles.fields>

/** Finds the profile with this id, including its client secret. */
export const findProfile = async (
  work: Work,
  realmId: string,
  id: string,
): Promise<OidcProfile | undefined> =>
  isId(realmId) && isId(id) ? work.store.findWhole(oidcProfiles, id, [realmId]) : undefined
