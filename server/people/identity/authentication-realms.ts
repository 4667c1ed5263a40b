import { resource } from '../../kernel/declare/resource.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { choice, list, text } from '../../kernel/shape/fields.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { linkTo, readOnly, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { identityEnvelope } from './identity-envelope.ts'
import { mustManageRealm } from './must-manage-realm.ts'

/** The settings that a realm belongs to. */
const origins = [
  'customer-authentication-settings',
  'merchant-realm-mappings',
  'account_authentication_settings',
] as const
export type Origin = (typeof origins)[number]

// RFC 6749 §3.1.2: an absolute URI without a fragment; unencrypted only on the developer's own machine.
const redirectUri = /^(https:\/\/[^/?#]+|http:\/\/localhost(:[0-9]{1,5})?)([/?][^#]*)?$/

/** A set of users and the ways that they can sign in. Every store has exactly three realms from its creation on. */
export const authenticationRealms = resource({
  type: 'authentication-realm',
  noun: ['authentication-realm', 'authentication-realms'],
  about:
    'A set of users and the ways that they can sign in. A store has three realms: for customers, for merchants and for account members.',
  path: '/v2/authentication-realms',
  table: 'authentication_realms',
  addedUnder: 'authentication-realms',
  fields: {
    name: text({ required: true, min: 1, max: 255, about: 'The name in lists.', example: 'Shoppers' }),
    redirect_uris: list(text({ format: 'uri', pattern: redirectUri, max: 2048 }), {
      default: [],
      maxItems: 100,
      about:
        'The addresses that a browser may be redirected to after a sign-in: https, or http on localhost.',
      example: ['https://shop.example.com/signed-in', 'http://localhost:3000/signed-in'],
    }),
    duplicate_email_policy: choice(['allowed', 'api_only', 'disallowed'], {
      default: 'allowed',
      about: 'What happens at a first sign-in if another user has the same email address.',
    }),
    relationships: readOnly(shown.group({ origin: relationshipTo(linkTo(...origins)) }), {
      about: 'The settings that the realm belongs to.',
    }),
  },
  area: 'authentication-realms',
  // A storefront must know how shoppers can sign in.
  visible: 'all',
  envelope: identityEnvelope,
  beforeWrite: (work, { id }) => mustManageRealm(work, id),
  operations: ['list', 'get', 'update'],
})

/** Finds the realm with this id, or throws a 404. */
export async function findRealm(work: Work, id: string): Promise<Row<typeof authenticationRealms.fields>> {
  const realm = isId(id) ? await work.store.find(authenticationRealms, id) : undefined
  if (!realm) throw notFound('authentication realm', id)
  return realm
}

/** The client ids of storefronts, by realm, and of the programs of colleagues. */
export const realmClients: Readonly<Record<Origin, string>> = {
  'customer-authentication-settings': 'customers',
  'merchant-realm-mappings': 'colleagues',
  account_authentication_settings: 'account-management',
}

/** The page of the console that providers lead colleagues back to: beside the `redirect_uris` of their realm. */
export const consoleAddress = (baseUrl: string): string => `${baseUrl}/console/signed-in`
