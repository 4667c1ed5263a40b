import type { Origin } from './authentication-realms.ts'

/** The client ids of storefronts, by realm. The realm of administrators has no storefront. */
export const realmClients: Readonly<Partial<Record<Origin, string>>> = {
  'customer-authentication-settings': 'customers',
  account_authentication_settings: 'account-management',
}
