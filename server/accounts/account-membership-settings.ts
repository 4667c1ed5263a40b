import { singleton } from '../kernel/declare/singleton.ts'
import { integer } from '../kernel/shape/fields.ts'

/** In how many accounts one member may be. A lower limit takes nobody out of an account. */
export const accountMembershipSettings = singleton({
  name: 'account-membership-settings',
  type: 'account_membership_setting',
  about: 'In how many accounts one account member may be.',
  path: '/v2/settings/account-membership',
  area: 'account-settings',
  operations: ['get', 'update'],
  fields: {
    membership_limit: integer({
      default: 10_000,
      min: 1,
      max: 10_000,
      about: 'Accounts that one member may be in. A lower limit binds new memberships only.',
    }),
  },
  show: (_ctx, values) => ({ data: { type: 'account_membership_setting', ...values } }),
})
