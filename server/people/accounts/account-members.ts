import { resource } from '../../kernel/declare/resource.ts'
import { blame } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import { type FilterRule, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountRealmId } from '../identity/realm-id.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { accountEnvelope } from './envelope.ts'
import { ownAccount } from './own-account.ts'

const { name, email, given_name, middle_name, family_name } = userAuthenticationInfos.fields

const partOfName: FilterRule = { ops: ['eq', 'like', 'ilike', 'is_null'] }

/** A user of the account realm. Users are created, changed and deleted in the realm. */
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
