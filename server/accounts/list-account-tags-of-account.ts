import { action } from '../kernel/action.ts'
import { accounts, findAccount } from './accounts.ts'
import { relationshipAnswer } from './tagging.ts'

/** The tags of one account: there are few, and all are shown. */
export const listAccountTagsOfAccount = action({
  name: 'list-account-tags-of-account',
  route: 'GET /v2/accounts/:account_id/relationships/account-tags',
  about: 'Lists the tags of an account.',
  area: 'account-tags',
  status: 200,

  async run(ctx, { params }) {
    const account = await findAccount(ctx, params.account_id)
    ctx.instance.onRead(ctx, accounts, [account])
    return relationshipAnswer(ctx, account)
  },
})
