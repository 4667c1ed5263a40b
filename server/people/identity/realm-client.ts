import type { Origin } from './authentication-realms.ts'

/** The client ids of storefronts, by realm. The realm of administrators has no storefront. */
export const realmClients: Readonly<Record<Exclude<Origin, 'merchant-realm-mappings'>, string>> = {
  'customer-authentication-settings': 'customers',
  account_authentication_settings: 'account-management',
}
