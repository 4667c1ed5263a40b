import { Problem } from '../../kernel/errors.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountMembers, findAccountMember } from './account-members.ts'
import { accountMembershipSettings } from './account-membership-settings.ts'
import type { MembershipFields } from './account-memberships.ts'

/** Refuses a membership of an unknown member, or of one who already belongs to too many accounts. */
export async function admitMember(
  work: Work,
  { scope, values, before }: Draft<MembershipFields>,
): Promise<void> {
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
