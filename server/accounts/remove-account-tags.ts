import { action } from '../kernel/action.ts'
import { parseBody } from '../kernel/http/body.ts'
import { findAccount } from './accounts.ts'
import { relationshipAnswer, retag, tagIdsIn } from './tagging.ts'

/** Takes tags off an account. Those that it does not have are no fault. */
export const removeAccountTags = action({
  name: 'remove-account-tags',
  route: 'DELETE /v2/accounts/:account_id/relationships/account-tags',
  about: 'Takes tags off an account. Answers those that are left.',
  area: 'account-tags',
  status: 200,
  // The body of any other DELETE means nothing, and is not read.
  rawBody: true,

  async run(ctx, { params, rawBody, headers }) {
    const ids = new Set(tagIdsIn(parseBody(String(rawBody), headers['content-type'] as string | undefined)))
    const { id } = await findAccount(ctx, params.account_id)
    const account = await retag(ctx, id, (tags) => tags.filter((tag) => !ids.has(tag.id)))
    return relationshipAnswer(ctx, account)
  },
})
