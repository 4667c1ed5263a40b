import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { isId } from '../../kernel/ids.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { listOf } from '../../kernel/openapi/shapes.ts'
import { findAll } from '../../kernel/query/find.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'
import { forgetUsers } from './forget-users.ts'

const usagesMax = 1000

/** Removes the email addresses from usages. */
export const anonymizeUsages = (kind: PromotionKind) =>
  action({
    name: `anonymize-${kind.name}-usages`,
    route: `POST ${kind.path}/usages/anonymize`,
    about:
      'Removes the email addresses from usages, also from the change feed. `errors` lists the ids of unknown usages beside `data`.',
    area: 'promotions',
    status: 200,
    data: group(
      {
        usage_ids: list(text({ max: 255 }), {
          required: true,
          maxItems: usagesMax,
          about: 'The ids of the usages.',
        }),
      },
      { required: true },
    ),
    shows: { data: listOf(objectOf(() => kind.usages)), errors: true },

    async run(ctx, { data }) {
      const { usage_ids: names } = data as { readonly usage_ids: readonly string[] }
      const ids = names.filter(isId).map((id) => id.toLowerCase())
      await forgetUsers(ctx, kind, ids)
      const rows = await findAll(ctx, kind.usages, ids)
      const found = new Set(rows.map(({ id }) => id))
      const missing = names.filter((name) => !found.has(name.toLowerCase()))
      const body = `{"data":[${rows.map((row) => objectText(kind.usages, row, ctx, true)).join(',')}]}`
      return withErrors({ status: 200, body }, missing.length ? [notAnonymized(missing)] : [])
    },
  })

const notAnonymized = (ids: readonly string[]) =>
  new Problem('not_found', 'Usages not found.', {
    title: 'Could not anonymize some usages',
    meta: { usage_ids: ids },
  })
