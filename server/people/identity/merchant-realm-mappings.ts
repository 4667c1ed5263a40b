import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { identityEnvelope } from './identity-envelope.ts'

/** Maps a prefix to the realm that administrators sign in to. Each store has one from its creation on. */
export const merchantRealmMappings = resource({
  type: 'merchant-realm-mappings',
  noun: ['merchant-realm-mapping', 'merchant-realm-mappings'],
  about: 'Maps a prefix to the realm that the administrators of a store sign in to.',
  path: '/v2/merchant-realm-mappings',
  table: 'merchant_realm_mappings',
  fields: {
    prefix: text({
      requiredOnUpdate: true,
      nullable: true,
      min: 1,
      max: 255,
      about:
        'The prefix that identifies the store at the sign-in of its administrators; unique among all stores. Null if none is assigned.',
      example: 'riverside',
    }),
    realm_id: reference('authentication-realm', {
      readOnly: true,
      about: 'The realm of the administrators.',
    }),
    store_id: reference('store', { readOnly: true, about: 'The store.' }),
  },
  area: 'merchant-realm-mappings',
  envelope: { ...identityEnvelope, times: 'none', links: 'none' },
  // The address of the collection returns the only mapping: see getOwnMerchantRealmMapping.
  operations: ['get', 'update'],
  refuses: { update: ['conflict'] },
  // The mapping of a new store has no prefix.
  afterWrite: async ({ store }, { doc: { prefix } }, before) => {
    if (before && prefix !== before.doc.prefix) await keepPrefix(store, prefix)
  },
})

/** A prefix is one store's. Those of all stores are in a table of their own, which has no other place to be. */
async function keepPrefix(store: Store, prefix: string | null | undefined): Promise<void> {
  await store.run('DELETE FROM realm_prefixes WHERE store_id = $1')
  if (prefix == null) return
  const kept = await store.run(
    `INSERT INTO realm_prefixes (store_id, prefix) VALUES ($1, lower($2::text COLLATE "default"))
     ON CONFLICT (prefix) DO NOTHING RETURNING 1`,
    prefix,
  )
  if (!kept.length) throw new Problem('conflict', 'the prefix is already in use', { source: 'data.prefix' })
}

/**
 * The mapping of the store. It is an object, although the address is that of a collection: clients do not know its id.
 */
export const getOwnMerchantRealmMapping = action({
  name: 'get-own-merchant-realm-mapping',
  route: 'GET /v2/merchant-realm-mappings',
  about: 'Reads the mapping of the store of the access token. The response is a single object, not a list.',
  area: 'merchant-realm-mappings',
  status: 200,
  shows: { resource: merchantRealmMappings },

  async run(ctx) {
    const [row] = await ctx.store.read('SELECT id FROM merchant_realm_mappings WHERE store_id = $1')
    const mapping = row?.[0] && (await ctx.store.find(merchantRealmMappings, row[0]))
    if (!mapping) throw new Problem('not_found', 'merchant realm mapping not found')
    return objectAnswer(200, merchantRealmMappings, mapping, ctx)
  },
})
