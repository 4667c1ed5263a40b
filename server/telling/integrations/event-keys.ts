import { Problem } from '../../kernel/errors.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import type { Work } from '../../kernel/work/context.ts'

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

const ofEntries = new RegExp(`^([a-z0-9_]{1,59}_ext)\\.(${entryVerbs.join('|')})$`)

/** For the API document: the keys of events. Which custom APIs a store has, only the store knows. */
export const eventKey = named('EventKey', {
  anyOf: [
    { type: 'string', enum: allEventKeys },
    {
      type: 'string',
      pattern: ofEntries.source,
      description: 'An event of a custom API: its `api_type`, and what happens to an entry.',
    },
  ],
})

/** The `api_type` of a key that has the form of a custom API's. */
const apiTypeOf = (key: string): string | undefined => ofEntries.exec(key)?.[1]

/** The first of these keys that is neither an event of the store nor among `kept`, with its position. */
async function findUnknownKey(
  { store }: Work,
  keys: readonly string[],
  kept: readonly string[],
): Promise<{ readonly key: string; readonly index: number } | undefined> {
  const types = keys.flatMap((key) => apiTypeOf(key) ?? [])
  const rows = types.length
    ? await store.run(
        'SELECT api_type FROM custom_apis WHERE store_id = $1 AND api_type = ANY($2::text[])',
        types,
      )
    : []
  const ownTypes = new Set(rows.map(([type]) => type))
  const isKnown = (key: string) =>
    kept.includes(key) || allEventKeys.includes(key) || ownTypes.has(apiTypeOf(key) ?? null)
  const index = keys.findIndex((key) => !isKnown(key))
  return index < 0 ? undefined : { key: keys[index] as string, index }
}

const accepted = `Accepted are ${allEventKeys.join(', ')}, and ${entryVerbs
  .map((verb) => `<api_type>.${verb}`)
  .join(', ')} of the custom APIs of the store.`

/**
 * Refuses keys that are not events of the store; `source` is the position of the list in the request. Keys that are
 * `kept` stay valid when their custom API is gone.
 */
export async function mustBeKnownKeys(
  work: Work,
  keys: readonly string[],
  source: string,
  kept: readonly string[] = [],
): Promise<void> {
  const unknown = await findUnknownKey(work, keys, kept)
  if (!unknown) return
  const at = `${source}.${unknown.index}`
  const why = unknown.key.startsWith('subscription')
    ? 'Sutler has no subscriptions, and no events of them.'
    : `${at} is not an event of this store.`
  throw new Problem('unprocessable', `${why} ${accepted}`, { source: at })
}
