/** The kind of a flow, which its slug determines. */
export type FlowKind = 'core' | 'template' | 'custom'

/** The slugs of flows that extend a resource. Flows of resources that do not exist yet have no effect so far. */
export const coreSlugs = [
  'account-members',
  'account-memberships',
  'accounts',
  'addresses',
  'authentication-realms',
  'cart_items',
  'carts',
  'catalogs',
  'customers',
  'oidc-profiles',
  'order_items',
  'orders',
  'password-profiles',
  'products',
  'promotions',
  'rule-promotions',
  'user-authentication-info',
  'user-authentication-oidc-profile-info',
  'user-authentication-password-profile-info',
] as const

export type CoreSlug = (typeof coreSlugs)[number]

/** Names of other resources, which flows cannot have. */
export const reservedSlugs = [
  'address',
  'brand',
  'cart',
  'category',
  'collection',
  'currency',
  'customer',
  'field',
  'file',
  'flow',
  'integration',
  'inventory',
  'language',
  'order',
  'product',
  'promotion',
  'setting',
]

export const isCore = (slug: string): slug is CoreSlug => (coreSlugs as readonly string[]).includes(slug)

export function kindOf(slug: string): FlowKind {
  if (isCore(slug)) return 'core'
  return slug.startsWith('products(') ? 'template' : 'custom'
}

/** Slugs of the same objects: a member is a user of the account realm. */
const shared: Partial<Record<CoreSlug, CoreSlug>> = { 'account-members': 'user-authentication-info' }

/** The name under which the fields of a flow are added: that of its resource, or the id of the flow for its entries. */
export const nameOfFields = ({ id, slug }: { readonly id: string; readonly slug: string }): string =>
  isCore(slug) ? (shared[slug] ?? slug) : id

/** The slugs of flows whose fields are added under a name; undefined for the id of a flow. */
export function slugsUnder(name: string): readonly string[] | undefined {
  if (!isCore(name)) return undefined
  return coreSlugs.filter((slug) => (shared[slug] ?? slug) === name)
}
