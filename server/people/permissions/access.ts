import type { AccessTable } from '../../kernel/auth/access.ts'

const admin = { client_credentials: 'rw' } as const
/** All shoppers can read it, anonymous ones too. */
const readable = { implicit: 'r', 'account-member': 'r', customer: 'r', client_credentials: 'rw' } as const

const shopping = { implicit: 'rw', 'account-member': 'rw', customer: 'rw', client_credentials: 'rw' } as const

/**
 * The rights of callers. A row is an area of the API. A column is a kind of caller: the grant of the bearer token, or
 * the kind of shopper whose token comes with it. A kind of caller that a row does not list has no rights there.
 */
export const access = {
  'application-keys': admin,
  settings: admin,
  stores: admin,
  // A storefront needs to know how shoppers can sign in. It must not know who the users are.
  'authentication-realms': readable,
  // Members can read and change their own user: see own-user.ts.
  'user-authentication-info': { 'account-member': 'ru', client_credentials: 'rw' },
  'user-authentication-password-profile-info': { 'account-member': 'ru', client_credentials: 'rw' },
  'user-authentication-oidc-profile-info': admin,
  // The caller has not signed in yet.
  'account-member-tokens': { implicit: 'rw', client_credentials: 'rw' },
  'one-time-password-token-requests': { implicit: 'rw', client_credentials: 'rw' },
  'merchant-realm-mappings': admin,
  // Members can read the account of their token: see ownAccount.
  accounts: { 'account-member': 'r', client_credentials: 'rw' },
  'account-addresses': { 'account-member': 'rw', client_credentials: 'rw' },
  'account-tags': admin,
  'unassigned-account-members': admin,
  'account-settings': admin,
  // A storefront needs the realm that its shoppers sign in to.
  'account-authentication-settings': readable,
  // Customers can read and change only their own data: see `visible` of each resource.
  customers: { customer: 'rw', client_credentials: 'rw' },
  'customer-addresses': { customer: 'rw', client_credentials: 'rw' },
  'customer-tokens': { implicit: 'rw', customer: 'rw', client_credentials: 'rw' },
  'custom-apis': admin,
  // Shoppers also need a role policy of the custom API: see may-use-entries.ts.
  'custom-entries': shopping,
  permissions: admin,
  'personal-data': admin,
  // Storefronts show prices in these currencies.
  currencies: readable,
  'pim-jobs': admin,
  files: readable,
  flows: readable,
  // The entries of a core flow are parts of objects that only merchants see: see entry-operations.ts.
  'flow-entries': readable,
  'links-of-extended': admin,
  products: admin,
  hierarchies: admin,
  variations: admin,
  // Shoppers read the published part under /catalog.
  catalogs: admin,
  pricebooks: admin,
  // Everyone can read the stock, but only the merchant its transactions.
  inventories: readable,
  'stock-transactions': admin,
  // Merchants send a shopper's token beside their own: see check-visibility.ts.
  visibility: { 'account-member': 'r', customer: 'r', client_credentials: 'r' },
  catalog: readable,
  // Everyone who knows the id of a cart can use it, unless it belongs to another shopper: see carts/contents/owners.ts.
  carts: shopping,
  'cart-taxes': admin,
  'cart-discounts': admin,
  promotions: admin,
  // Their settings include the names of accounts at payment services.
  gateways: admin,
  // What they are sent holds everything that happens in the store.
  integrations: admin,
  // Guests know the ids of their carts.
  'cart-lists': { 'account-member': 'r', customer: 'r', client_credentials: 'r' },
  // They show everything that happens in the store, and who did it.
  changes: admin,
  'order-exports': admin,
  metrics: admin,
  // Shoppers see their own orders; checkout makes them, and payments change them.
  orders: { 'account-member': 'r', customer: 'r', client_credentials: 'rw' },
  // Everyone who knows the id of an order can pay it, guests too.
  payments: shopping,
  // Captures, refunds and cancellations are the merchant's.
  transactions: admin,
} as const satisfies AccessTable
