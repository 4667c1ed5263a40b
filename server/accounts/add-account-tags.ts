import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { accountTags } from './account-tags.ts'
import { findAccount, type TagLink } from './accounts.ts'
import { relationshipAnswer, retag, tagIdsIn } from './tagging.ts'

/** Adds tags to an account, behind those it has. A tag that it has already stays as it is. */
export const addAccountTags = action({
  name: 'add-account-tags',
  route: 'POST /v2/accounts/:account_id/relationships/account-tags',
  about: 'Adds tags to an account. Answers all of its tags.',
  area: 'account-tags',
  status: 200,

  async run(ctx, { params, rawBody }) {
    const ids = tagIdsIn(rawBody)
    const { id } = await findAccount(ctx, params.account_id)
    await mustExist(ctx, ids)
    const account = await retag(ctx, id, (tags) => {
      const known = new Set(tags.map((tag) => tag.id))
      const added = ids
        .filter((tag) => !known.has(tag))
        .map((tag): TagLink => ({ id: tag, type: 'account_tag' }))
      return [...tags, ...added]
    })
    return relationshipAnswer(ctx, account)
  },
})

/** The tags, and keeps them from being deleted before the account has them. */
async function mustExist(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const found = await ctx.store.keep(accountTags, ...ids)
  const missing = ids.findIndex((id) => !found.has(id))
  if (missing >= 0) {
    throw new Problem('not_found', `account tag not found: ${ids[missing]}`, { source: `data.${missing}.id` })
  }
}
