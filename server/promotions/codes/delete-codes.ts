import { action } from '../../kernel/declare/action.ts'
import { findByName } from '../../kernel/query/find.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import { codesMax } from './codes-max.ts'
import { foldedCode } from './folded-code.ts'
import type { Kind } from './promotion-kinds.ts'

/** Deletes codes of a promotion. Their usages stay. */
export const deleteCodes = (kind: Kind) =>
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
