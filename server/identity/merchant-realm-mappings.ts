import { resource } from '../kernel/declare/resource.ts'
import { reference, text } from '../kernel/shape/fields.ts'
import { identityEnvelope } from './envelope.ts'

/** Leads administrators to the realm they sign in to. Each store has one, made with it. */
export const merchantRealmMappings = resource({
  type: 'merchant-realm-mappings',
  noun: ['merchant-realm-mapping', 'merchant-realm-mappings'],
  about: 'Leads the administrators of a store to the realm they sign in to, by a prefix of their own.',
  path: '/v2/merchant-realm-mappings',
  table: 'merchant_realm_mappings',
  fields: {
    prefix: text({
      requiredOnUpdate: true,
      nullable: true,
      min: 1,
      max: 255,
      about:
        'Names the store when its administrators sign in; unique among all stores. Null: none is assigned.',
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
  // The collection's address answers with the one mapping there is: see get-own-merchant-realm-mapping.ts.
  operations: ['get', 'update'],
  constraints: {
    merchant_realm_mappings_prefix_key: {
      code: 'conflict',
      detail: 'the prefix is already in use',
      source: 'data.prefix',
    },
  },
})
