import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { forgetChangesOf } from '../../kernel/feed/erase.ts'
import { holdFeed, sequence } from '../../kernel/feed/sequence.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { withErrors } from '../../kernel/http/problems.ts'
import { isId } from '../../kernel/ids.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findAll } from '../../kernel/query/find.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { allKinds, type PromotionKind } from '../codes/promotion-kinds.ts'
import { guestPrefix } from './shoppers.ts'

/** Removes the email addresses from usages, also from the change feed. Needs a transaction. */
async function forgetUsers(
  { store, who }: Work,
  { usages }: Pick<PromotionKind, 'usages'>,
  ids: readonly string[],
): Promise<void> {
  // As an erasure does, and so first: two of them cannot wait for each other.
  await holdFeed(store)
  await store.lock(usages, ...ids)
  await sequence(store)
  await forgetChangesOf(store, [usages.table], ids)
  await store.run(
    `UPDATE ${usages.table} SET shopper = NULL, slot = NULL
     WHERE store_id = $1 AND id = ANY($2::uuid[]) AND starts_with(shopper, $3)`,
    ids,
    guestPrefix,
  )
  await store.changeAll(usages, {
    where: (bind) => `r.id = ANY(${bind(ids)}::uuid[])`,
    doc: (bind) =>
      `(r.doc::jsonb || jsonb_build_object('anonymized', true, 'updated_by', ${bind(who.actor)}::text)
         || jsonb_object(ARRAY['customer_email', CASE WHEN r.customer_email IS NOT NULL THEN '**' END]))::json`,
  })
}

/** As `forgetUsers`, for the codes of these orders. */
export async function forgetUsersOfOrders(work: Work, orderIds: readonly string[]): Promise<void> {
  for (const kind of allKinds) {
    const rows = await work.store.run(
      `SELECT id FROM ${kind.usages.table} WHERE store_id = $1 AND order_id = ANY($2::uuid[])
         AND doc->>'anonymized' IS DISTINCT FROM 'true' ORDER BY id`,
      orderIds,
    )
    const ids = rows.map(([id]) => id as string)
    if (ids.length) await forgetUsers(work, kind, ids)
  }
}

const usagesMax = 1000

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
    shows: { data: shown.list(objectOf(() => kind.usages)), errors: true },

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
