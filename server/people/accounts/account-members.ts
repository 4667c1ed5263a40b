import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { blame } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import { list } from '../../kernel/request/operations.ts'
import { etagOf } from '../../kernel/shape/answer.ts'
import { type FilterRule, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { mustMatch } from '../../kernel/write/must-match.ts'
import { accountRealmId } from '../identity/store-realms.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { accountEnvelope } from './account-envelope.ts'
import { accounts, ownAccount } from './accounts.ts'

const { name, email, given_name, middle_name, family_name } = userAuthenticationInfos.fields

const partOfName: FilterRule = { ops: ['eq', 'like', 'ilike', 'is_null'] }

export const accountMembers = resource({
  type: 'account_member',
  noun: ['account-member', 'account-members'],
  about:
    'A user of the account realm, who can be a member of accounts. Read-only: change the user in the realm.',
  path: '/v2/account-members',
  table: userAuthenticationInfos.table,
  addedUnder: 'user-authentication-info',
  personal: ['id'],
  scope: { columns: ['realm_id'], of: async (ctx) => [await accountRealmId(ctx)] },
  fields: { name, email, given_name, middle_name, family_name },
  filter: {
    ...walks,
    name: indexed('eq', 'like', 'ilike'),
    email: { ...indexed('eq', 'like', 'ilike'), caseless: true },
    given_name: partOfName,
    middle_name: partOfName,
    family_name: partOfName,
  },
  sort: ['created_at', 'email', 'id', 'name', 'updated_at'],
  area: 'accounts',
  visible: ownAccount(
    (account) =>
      `id IN (SELECT m.account_member_id FROM account_memberships m
              WHERE m.store_id = $1 AND m.account_id = ${account})`,
  ),
  envelope: accountEnvelope,
  operations: ['list', 'get'],
})

export async function findAccountMember(
  work: Work,
  id: string,
  source?: string,
): Promise<Row<typeof accountMembers.fields>> {
  const find = async () => findByName(work, accountMembers, id, [await accountRealmId(work)])
  return source === undefined ? find() : blame(source, find)
}

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

export const updateAccountMember = action({
  name: 'update-account-member',
  route: 'PUT /v2/account-members/:id',
  about:
    'Returns the account member unchanged: its name and email are those of the user in the account realm.',
  area: 'accounts',
  status: 200,
  refuses: ['precondition_failed'],
  body: { type: 'account_member', fields: {} },

  async run(ctx, { params, ifMatch }) {
    const member = await findAccountMember(ctx, params.id)
    mustMatch(etagOf(member), ifMatch)
    return objectAnswer(200, accountMembers, member, ctx)
  },
})
