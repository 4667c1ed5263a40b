import { body } from '../../support/requests.ts'
import type { World } from '../../support/world.ts'

/** Short ways to say what most of the identity tests say. */
export const user = (fields: object = {}) =>
  body('user_authentication_info', { name: 'Ada Marsh', email: 'ada@example.com', ...fields })
export const oidcProfile = (fields: object = {}) =>
  body('oidc-profile', {
    name: 'Directory',
    discovery_url: 'https://id.example.com/.well-known/openid-configuration',
    client_id: 'shop',
    client_secret: 'the provider knows it',
    ...fields,
  })
export const passwordProfile = (fields: object = {}) =>
  body('password_profile', { name: 'Passwords', ...fields })
export const oidcLink = (fields: object) => body('user_authentication_oidc_profile_info', fields)
export const passwordLink = (fields: object) =>
  body('user_authentication_password_profile_info', { password: 'correct horse', ...fields })

/** The ids of a store's realms. */
export async function realmsOf(client: World['admin']) {
  const { body } = await client.get('/v2/authentication-realms')
  const realmIdOf = (origin: string) =>
    body.data.find((realm: { relationships: { origin: { data: { type: string } } } }) =>
      realm.relationships.origin.data.type.startsWith(origin),
    ).id as string
  return {
    customers: realmIdOf('customer'),
    merchants: realmIdOf('merchant'),
    accounts: realmIdOf('account'),
  }
}
