import { seal } from '../kernel/auth/seal.ts'
import type { Ctx } from '../kernel/context.ts'
import { text } from '../kernel/fields.ts'
import { type Draft, dialects, resource } from '../kernel/resource.ts'
import { authenticationRealms } from './authentication-realms.ts'
import { touchLinkedUsers } from './touch-linked-users.ts'

/** One OpenID Connect provider that the users of a realm may sign in with. */
export const oidcProfiles = resource({
  type: 'oidc-profile',
  noun: ['oidc-profile', 'oidc-profiles'],
  about: 'An OpenID Connect provider that the users of a realm may sign in with.',
  path: '/v2/authentication-realms/:realm_id/oidc-profiles',
  table: 'oidc_profiles',
  parent: () => authenticationRealms,
  fields: {
    name: text({ required: true, min: 1, max: 255, about: 'Shown in lists.', example: 'Staff directory' }),
    discovery_url: text({
      required: true,
      format: 'uri',
      pattern: /^https?:\/\//,
      max: 1024,
      about: "Where the provider's configuration is: an http or https address.",
      example: 'https://id.example.com/.well-known/openid-configuration',
    }),
    client_id: text({
      required: true,
      min: 1,
      max: 1024,
      about: 'The name this store has at the provider.',
      example: 'riverside-shop',
    }),
    client_secret: text({
      required: true,
      hidden: true,
      min: 1,
      max: 4096,
      about: "The store's secret at the provider. Never shown again.",
      example: 'kept between the store and the provider',
    }),
  },
  area: 'authentication-realms',
  dialect: dialects.identity,
  beforeWrite: sealSecret,
  beforeDelete: (ctx, profile) =>
    touchLinkedUsers(ctx, 'user_authentication_oidc_profile_infos', 'oidc_profile_id', profile),
  meta: ({ doc }) => ({ issuer: issuerOf(doc.discovery_url) }),
  links: ({ id, scope: [realmId] }, { baseUrl, store }) => {
    const realm = `stores/${store.id}/authentication-realms/${realmId}`
    return {
      'authorization-endpoint': `${baseUrl}/oidc-idp/login/${realm}?elasticpath_commerce_cloud_profile_id=${id}`,
      'callback-endpoint': `${baseUrl}/oidc-idp/callback/${realm}/oidc-profiles/${id}`,
      'client-discovery-url': `${baseUrl}/oidc-idp/${realm}/.well-known/openid-configuration`,
    }
  },
})

/**
 * What the provider signs its tokens as. OpenID Connect Discovery §4 puts the configuration at a fixed path under the
 * issuer, so the address tells it; the document itself is not fetched yet.
 */
export const issuerOf = (discoveryUrl: string): string =>
  discoveryUrl.replace(/\/\.well-known\/openid[-_]configuration\/?$/, '')

/** The secret must be sent to the provider as it is, so it is encrypted, not hashed. */
function sealSecret(ctx: Ctx, { values, before }: Draft): void {
  if (values.client_secret === before?.hidden.client_secret) return
  values.client_secret = seal(ctx.instance.sealKey, values.client_secret as string)
}
