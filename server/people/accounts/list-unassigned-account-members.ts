import { action } from '../../kernel/declare/action.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { accountMembers } from './account-members.ts'
import { accounts } from './accounts.ts'

/** The members who do not belong to an account, with the filters and orders of members. */
export const listUnassignedAccountMembers = action({
  name: 'list-unassigned-account-members',
  route: 'GET /v2/accounts/:account_id/account-memberships/unassigned-account-members',
  about: 'Lists the account members who are not members of this account.',
  area: 'unassigned-account-members',
  status: 200,
  shows: { resource: accountMembers, page: true },

  async run(ctx, call) {
    const account = await findByName(ctx, accounts, call.params.account_id)
    const scope = await scopeOf(ctx, accountMembers, call.params)
    return list(
      ctx,
      accountMembers,
      scope,
      call,
      (bind) =>
        `id NOT IN (SELECT m.account_member_id FROM account_memberships m
                    WHERE m.store_id = $1 AND m.account_id = ${bind(account.id)}::uuid)`,
    )
  },
})
