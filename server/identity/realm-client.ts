import type { Origin } from './authentication-realms.ts'

/** The client id that storefronts sign in to a realm with. The administrators' realm has no storefront. */
export const realmClients: Readonly<Partial<Record<Origin, string>>> = {
  'customer-authentication-settings': 'customers',
  account_authentication_settings: 'account-management',
}
