import { parse } from '../kernel/query/parse.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { CartRow } from './cart-fields.ts'
import { type HeldDiscounts, showCustomDiscounts } from './included.ts'

/** Nothing else of the contents, which may be megabytes. */
const discounts = `SELECT id, jsonb_build_object(
    'customDiscounts', h#>'{contents,customDiscounts}',
    'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', line->'id', 'kind', line->'kind',
        'customDiscounts', line->'customDiscounts') ORDER BY place), '[]')
      FROM jsonb_array_elements(h#>'{contents,lines}') WITH ORDINALITY listed (line, place)
      WHERE line->'customDiscounts' <> '[]'))::text
  FROM (SELECT id, hidden::jsonb AS h FROM carts WHERE store_id = $1 AND id = ANY($2::uuid[]) OFFSET 0) whole` as const

/** The custom discounts of the carts of a page, if the request includes them, after a comma. */
export async function includedInList(
  { store }: Ctx,
  query: string,
  carts: readonly CartRow[],
): Promise<string> {
  if (!parse(query).include.includes('custom_discounts')) return ''
  const rows = carts.length
    ? await store.run(
        discounts,
        carts.map(({ id }) => id),
      )
    : []
  const held = new Map(rows.map(([id, text]) => [id, JSON.parse(text as string) as HeldDiscounts]))
  const shown = carts.flatMap(({ id, hidden: { priced } }) => {
    const own = held.get(id)
    return own && priced ? showCustomDiscounts(own, priced.currency) : []
  })
  return `,"included":${JSON.stringify({ custom_discounts: shown })}`
}
