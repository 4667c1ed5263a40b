import type { AccessTable } from '../../kernel/auth/access.ts'
import type { RoleKind } from './role-kinds.ts'

/** Keys and the administrators of the store do everything; other roles read. */
const everything = { client_credentials: 'rw', 'store-admin': 'rw', 'org-admin': 'rw' } as const

type Right = 'r' | 'rw'
type Roles = { readonly [Kind in RoleKind]?: Right }

const allRoles: Roles = {
  ...{ support: 'r', marketing: 'r', 'promotions-manager': 'r', developer: 'r', 'ecommerce-admin': 'r' },
}

/** These roles may do everything, besides the administrators, and the others read. */
const by = (...roles: readonly RoleKind[]) => ({ ...allRoles, ...onlyBy(...roles) })

/** As `by`, but the other roles have no rights: secrets, or what is about people. */
const onlyBy = (...roles: readonly RoleKind[]): Roles & typeof everything => ({
  ...Object.fromEntries(roles.map((role) => [role, 'rw'])),
  ...everything,
})

/** What the published table of roles calls their areas. */
const people = by('support', 'ecommerce-admin')
const orders = by('support', 'ecommerce-admin')
const goods = by('marketing', 'ecommerce-admin')
const flows = by('marketing', 'developer', 'ecommerce-admin')
const configuration = by('developer')

/** Everyone who has signed in, also those with no other right. */
const own: Roles = {
  ...{ basic: 'rw', support: 'rw', marketing: 'rw', 'promotions-manager': 'rw', developer: 'rw' },
  'ecommerce-admin': 'rw',
}

const readers = { ...allRoles, client_credentials: 'r', 'store-admin': 'r', 'org-admin': 'r' } as const

/** All shoppers can read it, anonymous ones too. */
const shoppersRead = { implicit: 'r', 'account-member': 'r', customer: 'r' } as const

const shoppersWrite = { implicit: 'rw', 'account-member': 'rw', customer: 'rw' } as const

/**
 * The rights of callers. A row is an area of the API. A column is a kind of caller: the grant of the bearer token, the
 * role of a colleague, or the kind of shopper whose token comes with it. A kind of caller that a row does not list has
 * no rights there.
 */
export const access = {
  // Who has a key can do everything, so a developer can, too.
  'application-keys': onlyBy('developer'),
  settings: configuration,
  stores: by(),
  // A storefront needs to know how shoppers can sign in. It must not know who the users are.
  // Developers cannot change the realm of colleagues: see must-manage-realm.ts.
  'authentication-realms': { ...shoppersRead, ...configuration },
  // Members can read and change their own user: see own-user.ts.
  'user-authentication-info': { 'account-member': 'ru', ...people },
  'user-authentication-password-profile-info': { 'account-member': 'ru', ...people },
  'user-authentication-oidc-profile-info': people,
  // The caller has not signed in yet.
  'account-member-tokens': { implicit: 'rw', ...onlyBy() },
  'one-time-password-token-requests': { implicit: 'rw', ...onlyBy() },
  'merchant-realm-mappings': by(),
  // Members can read the account of their token: see ownAccount.
  accounts: { 'account-member': 'r', ...people },
  'account-addresses': { 'account-member': 'rw', ...people },
  'account-tags': people,
  'unassigned-account-members': people,
  'account-settings': configuration,
  // A storefront needs the realm that its shoppers sign in to.
  'account-authentication-settings': { ...shoppersRead, ...configuration },
  // Customers can read and change only their own data: see `visible` of each resource.
  customers: { customer: 'rw', ...people },
  'customer-addresses': { customer: 'rw', ...people },
  'customer-tokens': { implicit: 'rw', customer: 'rw', ...onlyBy() },
  'custom-apis': configuration,
  // Shoppers also need a role policy of the custom API: see may-use-entries.ts.
  'custom-entries': { ...shoppersWrite, ...configuration },
  permissions: configuration,
  // Roles are rights, so only administrators give them.
  colleagues: onlyBy(),
  // Everyone's own: see colleague-sessions.ts.
  'colleague-sessions': { ...own, ...everything },
  'own-permissions': { ...own, ...everything },
  'personal-data': onlyBy('support', 'developer', 'ecommerce-admin'),
  // Storefronts show prices in these currencies.
  currencies: { ...shoppersRead, ...configuration },
  'pim-jobs': goods,
  files: { ...shoppersRead, ...goods },
  flows: { ...shoppersRead, ...flows },
  // The entries of a core flow are parts of objects that only merchants see: see entry-operations.ts.
  'flow-entries': { ...shoppersRead, ...flows },
  'links-of-extended': flows,
  products: goods,
  hierarchies: goods,
  variations: goods,
  // Shoppers read the published part under /catalog.
  catalogs: goods,
  pricebooks: goods,
  // Everyone can read the stock, but only the merchant its transactions.
  inventories: { ...shoppersRead, ...goods },
  'stock-transactions': goods,
  // Merchants send a shopper's token beside their own: see check-visibility.ts.
  visibility: { 'account-member': 'r', customer: 'r', ...readers },
  catalog: { ...shoppersRead, ...goods },
  // Everyone who knows the id of a cart can use it, unless it belongs to another shopper: see carts/contents/owners.ts.
  carts: { ...shoppersWrite, ...orders },
  'cart-taxes': orders,
  'cart-discounts': orders,
  promotions: by('promotions-manager', 'marketing', 'ecommerce-admin'),
  // Their settings include the names of accounts at payment services.
  gateways: onlyBy('developer'),
  // What they are sent holds everything that happens in the store.
  integrations: onlyBy('developer'),
  // Guests know the ids of their carts.
  'cart-lists': { 'account-member': 'r', customer: 'r', ...readers },
  // Each also needs the right to update the objects that it changes: see bulk-changes/targets.ts.
  'bulk-changes': by('support', 'marketing', 'promotions-manager', 'developer', 'ecommerce-admin'),
  // They show everything that happens in the store, and who did it.
  changes: onlyBy('support', 'developer', 'ecommerce-admin'),
  'order-exports': orders,
  metrics: orders,
  // Shoppers see their own orders; checkout makes them, and payments change them.
  orders: { 'account-member': 'r', customer: 'r', ...orders },
  // Everyone who knows the id of an order can pay it, guests too.
  payments: { ...shoppersWrite, ...orders },
  // Captures, refunds and cancellations are the merchant's.
  transactions: orders,
} as const satisfies AccessTable
