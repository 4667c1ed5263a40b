import { singleton } from '../../kernel/declare/singleton.ts'
import { integer } from '../../kernel/shape/fields.ts'

/** How many accounts a member can belong to. A lower limit does not end existing memberships. */
export const accountMembershipSettings = singleton({
  name: 'account-membership-settings',
  type: 'account_membership_setting',
  about: 'How many accounts an account member can belong to.',
  path: '/v2/settings/account-membership',
  area: 'account-settings',
  operations: ['get', 'update'],
  fields: {
    membership_limit: integer({
      default: 10_000,
      min: 1,
      max: 10_000,
      about: 'The maximum number of accounts of a member. A lower limit applies only to new memberships.',
    }),
  },
  show: (_ctx, values) => ({ data: { type: 'account_membership_setting', ...values } }),
})
