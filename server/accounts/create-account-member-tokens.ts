import { action } from '../kernel/action.ts'
import { noContent } from '../kernel/http/answer.ts'

/** How a shopper will sign in to their accounts. */
export const createAccountMemberTokens = action({
  name: 'create-account-member-tokens',
  route: 'POST /v2/account-members/tokens',
  about: 'Signs an account member in: a token for each of their accounts.',
  area: 'account-member-tokens',
  status: 201,
  unsupported: true,
  run: async () => noContent,
})
