import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { merchantRealmMappings } from './merchant-realm-mappings.ts'

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
