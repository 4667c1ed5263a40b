import { joined } from '../../kernel/http/in-parts.ts'
import { parse } from '../../kernel/query/parse.ts'
import { inParts, type SizedRows } from '../../kernel/storage/sized-parts.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { type HeldDiscounts, showCustomDiscounts } from '../shown/included.ts'

/** Nothing else of the contents, which may be megabytes. */
const discounts = `SELECT id, jsonb_build_object(
    'customDiscounts', i#>'{contents,customDiscounts}',
    'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', line->'id', 'kind', line->'kind',
        'customDiscounts', line->'customDiscounts') ORDER BY place), '[]')
      FROM jsonb_array_elements(i#>'{contents,lines}') WITH ORDINALITY listed (line, place)
      WHERE line->'customDiscounts' <> '[]'))::text
  FROM (SELECT id, coalesce(inside, hidden)::jsonb AS i FROM carts WHERE store_id = $1 AND id = ANY($2::uuid[]) OFFSET 0) whole` as const

/** What a cart holds may be long, also where its row in a list is short. */
const sizedCarts: SizedRows = { table: 'carts', columns: ['coalesce(inside, hidden)'] }

/** The custom discounts of the carts of a page, if the request includes them, after a comma. */
export async function* includedInList(
  { store }: Ctx,
  query: string,
  portions: () => AsyncIterable<readonly CartRow[]>,
): AsyncGenerator<string> {
  if (!parse(query).include.includes('custom_discounts')) return
  async function* texts() {
    for await (const carts of portions()) yield* discountsOf(store, carts)
  }
  yield ',"included":{"custom_discounts":['
  yield* joined(texts())
  yield ']}'
}

async function* discountsOf(store: Store, carts: readonly CartRow[]): AsyncGenerator<readonly string[]> {
  const byId = new Map(carts.map((cart) => [cart.id, cart]))
  for await (const ids of inParts(store, sizedCarts, [...byId.keys()])) {
    const rows = await store.run(discounts, ids)
    const held = new Map(rows.map(([id, text]) => [id, JSON.parse(text as string) as HeldDiscounts]))
    yield ids.flatMap((id) => {
      const own = held.get(id)
      const priced = byId.get(id)?.hidden.priced
      return own && priced ? showCustomDiscounts(own, priced.currency).map((one) => JSON.stringify(one)) : []
    })
  }
}
