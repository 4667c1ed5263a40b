import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { etagOf } from '../../kernel/shape/answer.ts'
import { mustMatch } from '../../kernel/write/must-match.ts'
import { accountMembers, findAccountMember } from './account-members.ts'

/** Returns the member unchanged: its fields are changed in the realm. */
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
