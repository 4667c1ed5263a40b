import { resource } from '../../kernel/declare/resource.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import { identityEnvelope } from './envelope.ts'

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
  // The address of the collection returns the only mapping: see get-own-merchant-realm-mapping.ts.
  operations: ['get', 'update'],
  constraints: {
    merchant_realm_mappings_prefix_key: {
      code: 'conflict',
      detail: 'the prefix is already in use',
      source: 'data.prefix',
    },
  },
})
