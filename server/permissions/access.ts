import type { AccessTable } from '../kernel/auth/access.ts'

const admin = { client_credentials: 'rw' } as const
/** What anonymous shoppers may read, the others may too. */
const readable = { implicit: 'r', 'account-member': 'r', customer: 'r', client_credentials: 'rw' } as const

/**
 * Who may do what. A row is an area of the API; a column is a kind of caller: the bearer token's grant, or the
 * shopper who comes with it. What is not listed may do nothing.
 */
export const access = {
  'application-keys': admin,
  settings: admin,
  stores: admin,
  // A storefront needs to know how one may sign in; who the users are is not for anonymous shoppers.
  'authentication-realms': readable,
  // Members see and change themselves: see own-user.ts.
  'user-authentication-info': { 'account-member': 'ru', client_credentials: 'rw' },
  'user-authentication-password-profile-info': { 'account-member': 'ru', client_credentials: 'rw' },
  'user-authentication-oidc-profile-info': admin,
  // Who calls has not signed in yet.
  'account-member-tokens': { implicit: 'rw', client_credentials: 'rw' },
  'one-time-password-token-requests': { implicit: 'rw', client_credentials: 'rw' },
  'merchant-realm-mappings': admin,
  // Members see the account of their token: see own-account.ts.
  accounts: { 'account-member': 'r', client_credentials: 'rw' },
  'account-addresses': { 'account-member': 'rw', client_credentials: 'rw' },
  'account-tags': admin,
  'unassigned-account-members': admin,
  'account-settings': admin,
  // Customers see and change themselves, and nobody else: see `visible` of each.
  customers: { customer: 'rw', client_credentials: 'rw' },
  'customer-addresses': { customer: 'rw', client_credentials: 'rw' },
  'customer-tokens': { implicit: 'rw', customer: 'rw', client_credentials: 'rw' },
  'custom-apis': admin,
  // Whoever is not an administrator needs a role policy of the custom API too: see may-use-entries.ts.
  'custom-entries': { implicit: 'rw', 'account-member': 'rw', customer: 'rw', client_credentials: 'rw' },
  permissions: admin,
  'personal-data': admin,
  // What storefronts show beside products, and their prices in.
  currencies: readable,
  'pim-jobs': admin,
  files: readable,
  flows: readable,
  // What is added to objects is for whoever may see these: see entry-operations.ts.
  'flow-entries': readable,
  products: admin,
  hierarchies: admin,
  variations: admin,
  // What they see of it shoppers read under /catalog.
  catalogs: admin,
  pricebooks: admin,
  // How much there is, everyone may see; what has happened to it is the merchant's.
  inventories: readable,
  'stock-transactions': admin,
  // Merchants ask with a shopper's token beside theirs: see check-visibility.ts.
  visibility: { 'account-member': 'r', customer: 'r', client_credentials: 'r' },
  catalog: readable,
} as const satisfies AccessTable
