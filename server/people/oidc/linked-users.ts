import type { FilterRule } from '../../kernel/shape/model.ts'

const isLinkedSql = `EXISTS (SELECT FROM user_authentication_oidc_profile_infos l
  WHERE l.store_id = $1 AND l.realm_id = user_authentication_infos.realm_id
    AND l.user_authentication_info_id = user_authentication_infos.id)`

/** Whether a provider can sign a user in. */
export const byIdentity: FilterRule = {
  ops: ['eq'],
  type: 'boolean',
  where: (_op, values) => {
    if (values.includes('true') && values.includes('false')) return 'true'
    return values.includes('true') ? isLinkedSql : `NOT ${isLinkedSql}`
  },
}
