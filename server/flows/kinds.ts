/** What a flow is for, which its slug says. */
export type Kind = 'core' | 'template' | 'custom'

/** The slugs of flows that extend a resource. Of those that are not there yet the definition waits. */
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

/** Taken by what else there is: no flow is called so. */
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

export function kindOf(slug: string): Kind {
  if (isCore(slug)) return 'core'
  return slug.startsWith('products(') ? 'template' : 'custom'
}

/** Two slugs that lead to the same objects: a member is a user of the account realm. */
const shared: Partial<Record<CoreSlug, CoreSlug>> = { 'account-members': 'user-authentication-info' }

/** The name that a flow's fields are added under: its resource's, or its own, which is that of its entries. */
export const nameOfFields = ({ id, slug }: { readonly id: string; readonly slug: string }): string =>
  isCore(slug) ? (shared[slug] ?? slug) : id

/** The slugs whose fields are added under a name; undefined when it is a flow's own. */
export function slugsUnder(name: string): readonly string[] | undefined {
  if (!isCore(name)) return undefined
  return coreSlugs.filter((slug) => (shared[slug] ?? slug) === name)
}
