import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import { totalSql } from '../../kernel/query/places.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { codesMax } from './codes-max.ts'
import { foldedCode } from './folded-code.ts'
import { kinds, type PromotionKind } from './promotion-kinds.ts'

export const deleteCodes = (kind: PromotionKind) =>
  action({
    name: `delete-${kind.name}-codes`,
    route: `DELETE ${kind.path}/:promotion_id/codes`,
    about: 'Deletes codes of a promotion. Codes that it does not have are ignored. Usages of the codes stay.',
    area: 'promotions',
    status: 204,
    data: group(
      {
        codes: list(group({ code: text({ required: true, max: 255, about: 'The code.' }) }, {}), {
          required: true,
          maxItems: codesMax,
          about: 'As the list of codes shows them, or only with their `code`.',
        }),
      },
      { required: true },
    ),
    async run(ctx, { params, data }) {
      const { id } = await findByName(ctx, kind.promotions, params.promotion_id)
      const codes = (data as { readonly codes: readonly { readonly code: string }[] }).codes
      await ctx.store.removeAll(
        kind.codes,
        (bind) =>
          `r.promotion_id = ${bind(id)} AND r.code IN (
             SELECT ${foldedCode('v')} FROM unnest(${bind(codes.map(({ code }) => code))}::text[]) v)`,
      )
      return noContent
    },
  })

/**
 * Deletes the codes of a standard promotion that has ended and is about to begin again: other promotions may have them
 * by now. Refuses a promotion with more codes than most can have, as the public contract does.
 */
export async function deleteExpiredCodes({ store }: Work, promotionId: string): Promise<void> {
  const { codes, promotions } = kinds.standard
  // Nobody adds codes meanwhile.
  await store.lock(promotions, promotionId)
  const [counted] = await store.run(totalSql(codes), promotionId)
  if (Number(counted?.[0]) > codesMax) {
    const detail = `A promotion that has ended and has more than ${codesMax} codes cannot begin again. Create another promotion.`
    throw new Problem('unprocessable', detail, { source: 'request' })
  }
  await store.removeAll(codes, (bind) => `r.promotion_id = ${bind(promotionId)}`)
}
