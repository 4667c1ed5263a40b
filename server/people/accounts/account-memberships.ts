import { listing } from '../../kernel/declare/listing.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { findListed } from '../../kernel/query/find.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import { reference, text } from '../../kernel/shape/fields.ts'
import type { Draft, FilterRule } from '../../kernel/shape/model.ts'
import { linkTo, readOnly, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountEnvelope } from './account-envelope.ts'
import { accountMembers, findAccountMember } from './account-members.ts'
import { accountMembershipSettings } from './account-membership-settings.ts'
import { accounts, ownAccount } from './accounts.ts'

/** Without an index: an account has at most a thousand members, and nobody searches for half a UUID. */
const memberId: FilterRule = {
  ops: ['eq', 'like'],
  type: 'text',
  where: (op, values, bind) => {
    const ids = values.map((value) => value.toLowerCase())
    return op === 'like'
      ? `account_member_id::text LIKE ${bind(ids[0])}`
      : `account_member_id::text = ANY(${bind(ids)}::text[])`
  },
}

const fields = {
  account_member_id: reference('account_member', {
    required: true,
    immutable: true,
    about: 'The id of the member, a user of the account realm.',
  }),
  relationships: readOnly(
    shown.group({
      account: relationshipTo(linkTo('account')),
      account_member: relationshipTo(linkTo('account_member')),
    }),
    { about: 'The account and the member.' },
  ),
}

type MembershipFields = typeof fields

export const accountMemberships = resource({
  type: 'account_membership',
  noun: ['account-membership', 'account-memberships'],
  about: 'The membership of an account member in an account.',
  path: '/v2/accounts/:account_id/account-memberships',
  parent: () => accounts,
  table: 'account_memberships',
  addedUnder: 'account-memberships',
  // It is also personal data of the member.
  personal: ['account_member_id', 'account_id'],
  fields,
  filter: { account_member_id: memberId },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'accounts',
  visible: ownAccount((account) => `account_id = ${account}`),
  envelope: accountEnvelope,
  most: { n: 1000, detail: (n) => `An account can have at most ${n} members.` },
  beforeWrite: admitMember,
  include: {
    account_member: {
      target: () => accountMembers,
      under: 'account_members',
      find: (ctx, rows) => {
        const ids = rows.map(({ doc }) => doc.account_member_id)
        return findListed(ctx, accountMembers, ids)
      },
    },
  },
  constraints: {
    account_memberships_account_member_id_key: {
      code: 'conflict',
      detail: 'account membership with the given account id and account member id already exists',
      source: 'data.account_member_id',
    },
    account_memberships_account_member_id_fkey: {
      code: 'not_found',
      detail: 'account member not found',
      source: 'data.account_member_id',
    },
  },
})

export const membershipsOfMember = listing(accountMemberships, {
  noun: ['account-membership-of-member', 'account-memberships-of-member'],
  path: '/v2/account-members/:account_member_id/account-memberships',
  parent: () => accountMembers,
  links: {
    fields: { self: text({ format: 'uri', about: 'The membership under its account.' }) },
    of: ({ id, doc }, { baseUrl }) => ({
      self: `${baseUrl}/v2/accounts/${doc.relationships?.account.data.id}/account-memberships/${id}`,
    }),
  },
  include: {
    account: {
      target: () => accounts,
      under: 'accounts',
      find: (ctx, rows) => {
        const ids = rows.flatMap(({ doc }) => doc.relationships?.account.data.id ?? [])
        return findListed(ctx, accounts, ids)
      },
    },
  },
})

/** Refuses a membership of an unknown member, or of one who already belongs to too many accounts. */
async function admitMember(work: Work, { scope, values, before }: Draft<MembershipFields>): Promise<void> {
  if (before) return
  const accountId = (scope[0] as string).toLowerCase()
  const { id } = await findAccountMember(work, values.account_member_id, 'data.account_member_id')
  // Locked, so that concurrent memberships of one member are counted one after the other.
  await work.store.lock(accountMembers, id)
  await refuseBusyMember(work, id)
  values.account_member_id = id
  values.relationships = {
    account: { data: { id: accountId, type: 'account' } },
    account_member: { data: { id, type: 'account_member' } },
  }
}

async function refuseBusyMember(work: Work, memberId: string): Promise<void> {
  const { membership_limit } = await readSingleton(work, accountMembershipSettings)
  const [row] = await work.store.run(
    'SELECT count(*) FROM account_memberships WHERE store_id = $1 AND account_member_id = $2',
    memberId,
  )
  if (Number(row?.[0]) < membership_limit) return
  const detail = `The member already belongs to ${row?.[0]} accounts; the setting membership_limit allows ${membership_limit}.`
  throw new Problem('unprocessable', detail, { source: 'data.account_member_id' })
}
