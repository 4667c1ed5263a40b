import { notFound } from '../../kernel/errors.ts'
import { hasExpired } from '../../kernel/query/find.ts'
import { unbornRow } from '../../kernel/query/unborn.ts'
import type { Sql, Tuple } from '../../kernel/storage/database.ts'
import { wholeColumns } from '../../kernel/storage/stored-row.ts'
import { untilWritten } from '../../kernel/storage/until-written.ts'
import type { Work } from '../../kernel/work/context.ts'
import { nextTurn } from '../../kernel/work/in-turns.ts'
import { reasonOf } from '../../promotions/index.ts'
import { type Cart, type CartValues, cartWith, valuesOf } from '../contents/cart-fields.ts'
import { emptyCart } from '../contents/contents.ts'
import { mustBeOwner, ownersOf } from '../contents/owners.ts'
import { type CartExplanation, stillHolds } from '../contents/priced-cart.ts'
import { mustSee } from '../contents/shopper-rights.ts'
import { isProduct } from '../pricing/cart-shop.ts'
import { stateSql } from '../pricing/cart-state.ts'
import { type PricedOutcome, priceCart } from '../pricing/price-cart.ts'
import { carts } from './carts.ts'

/** The state that the prices of a stored cart depend on. */
export const storedStateSql = stateSql({
  customers: 'carts.customers',
  accounts: 'carts.accounts',
  email: `nullif(carts.doc#>>'{contact,email}', '')`,
  codes: `jsonb_path_query_array((carts.hidden#>'{contents,codes}')::jsonb, '$[*].code')`,
})

/** The statement that reads a cart, with the state that its prices depend on. */
export function cartSql(
  storeId: string,
  name: string,
  now: Date,
): Sql & { readonly text: `SELECT ${string}` } {
  const text = `SELECT ${storedStateSql}, ${wholeColumns(carts)} FROM carts
     WHERE store_id = $1 AND reference = $2 AND NOT ${hasExpired('expires_at', '$3')}` as const
  return { text, values: [storeId, name, now] }
}

/**
 * A cart with current prices. One statement reads it and says whether its prices still hold; if not, it is priced anew
 * for the response only: no reader changes its version or when it expires. Where the request asks why, each promotion
 * of the store has a verdict.
 */
export async function findCart(
  work: Work,
  name: string,
  { explains = false }: { readonly explains?: boolean } = {},
): Promise<Cart> {
  const { store, clock } = work
  const now = clock.now()
  const { text, values } = cartSql(store.id, name, now)
  const { tuple, stored } = await untilWritten(async () => {
    const tuples = await store.read(text, ...values.slice(1))
    const rows = await store.rowsOf(carts, tuples, 1)
    return rows && { tuple: tuples[0], stored: rows[0] as Cart | undefined }
  })
  if (!tuple || !stored) {
    const unborn = await unbornRow(work, carts, name)
    if (!unborn) throw notFound('cart', name)
    const { contents, priced } = await priceCart(work, {
      ...unborn.doc,
      ...unborn.hidden,
      ...emptyCart,
    } as CartValues)
    return cartWith(unborn, { contents, priced })
  }
  if (isLong(tuple)) await nextTurn()
  const row = cartWith(stored, stored.inside)
  mustBeOwner(work, ownersOf(row))
  await mustSee(work, row)
  if (!explains && stillHolds(row.inside.priced, tuple[0] ?? null, now)) return row
  const outcome = await priceCart(work, valuesOf(row))
  const { contents, priced } = outcome
  const explanation = explains ? explain(outcome) : undefined
  return cartWith(row, { contents, priced: { ...priced, explanation } })
}

/** The characters of a stored cart that takes milliseconds to parse and to show: other requests run before it. */
const longMin = 65_536

const isLong = (tuple: Tuple): boolean => tuple.some((text) => text != null && text.length >= longMin)

const explain = ({ evaluation, contents, shop }: PricedOutcome): CartExplanation => ({
  verdicts: evaluation.verdicts.map((verdict) => ({ ...verdict, detail: reasonOf(verdict)?.detail })),
  traces: contents.lines.map((line) => (isProduct(line) ? shop.quoteOf(line)?.price?.trace : undefined)),
})
