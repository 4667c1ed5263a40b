import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Draft } from '../kernel/resource.ts'
import { readSingleton } from '../kernel/singleton.ts'
import { findAccountMember } from './account-members.ts'
import { accountMembershipSettings } from './account-membership-settings.ts'
import { lockAccount } from './accounts.ts'

const membersMax = 1000

/** Refuses a membership of nobody, in an account that is full, or of a member who is in enough accounts. */
export async function admitMember(ctx: Ctx, { scope, values, before }: Draft): Promise<void> {
  if (before) return
  const accountId = (scope[0] as string).toLowerCase()
  // Memberships that are made at the same time are counted one after the other: first by account, then by member.
  await lockAccount(ctx, accountId)
  const { id } = await findAccountMember(ctx, values.account_member_id as string, 'data.account_member_id')
  await ctx.store.rows(
    'SELECT FROM user_authentication_infos WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE',
    id,
  )
  await refuseFullAccount(ctx, accountId)
  await refuseBusyMember(ctx, id)
  values.account_member_id = id
  values.relationships = {
    account: { data: { id: accountId, type: 'account' } },
    account_member: { data: { id, type: 'account_member' } },
  }
}

async function refuseFullAccount(ctx: Ctx, accountId: string): Promise<void> {
  const [row] = await ctx.store.rows(
    'SELECT count(*) FROM account_memberships WHERE store_id = $1 AND account_id = $2',
    accountId,
  )
  if (Number(row?.[0]) < membersMax) return
  throw new Problem('unprocessable', `The account has ${membersMax} members; it may not have more.`)
}

async function refuseBusyMember(ctx: Ctx, memberId: string): Promise<void> {
  const { membership_limit } = await readSingleton(ctx, accountMembershipSettings)
  const [row] = await ctx.store.rows(
    'SELECT count(*) FROM account_memberships WHERE store_id = $1 AND account_member_id = $2',
    memberId,
  )
  if (Number(row?.[0]) < membership_limit) return
  const detail = `The member is in ${row?.[0]} accounts; the setting membership_limit allows ${membership_limit}.`
  throw new Problem('unprocessable', detail, { source: 'data.account_member_id' })
}
