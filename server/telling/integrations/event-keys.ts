/**
 * The events that integrations can observe: the family, which is the beginning of the key, and its endings. Custom APIs
 * have a family each, named as their `api_type`.
 */
export const eventKeys = {
  account: ['created', 'updated', 'deleted'],
  'account-member': ['created', 'updated', 'deleted'],
  'account-membership': ['created', 'updated', 'deleted'],
  address: ['created', 'updated', 'deleted'],
  // Each change of a cart, its first one too.
  cart: ['updated', 'deleted'],
  'catalog-release': ['created', 'updated', 'deleted'],
  'catalog-rule': ['created', 'updated', 'deleted'],
  currency: ['created', 'updated', 'deleted'],
  customer: ['created', 'updated', 'deleted'],
  file: ['created', 'deleted'],
  integration: ['created', 'updated', 'deleted', 'paused'],
  'one-time-password-token-request': ['created'],
  order: ['created', 'updated', 'authorized', 'paid', 'fulfilled', 'cancelled', 'refunded', 'deleted'],
  'payment-gateway': ['updated'],
  product: ['created', 'updated', 'deleted'],
  settings: ['created', 'updated'],
  'stock-transaction': ['created'],
  transaction: ['created', 'updated'],
  'user-authentication-info': ['created', 'updated', 'deleted'],
} as const satisfies Record<string, readonly string[]>

/** The endings of the keys of custom APIs. */
export const entryVerbs = ['created', 'updated', 'deleted'] as const

export type Family = keyof typeof eventKeys

/** The keys of all events that are not of a custom API, in the order of the table. */
export const allEventKeys: readonly string[] = Object.entries(eventKeys).flatMap(([family, verbs]) =>
  verbs.map((verb) => `${family}.${verb}`),
)
