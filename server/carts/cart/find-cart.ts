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

const stateOf = (codes?: string) =>
  stateSql({
    ...{ customers: 'carts.customers', accounts: 'carts.accounts', codes },
    email: `nullif(carts.doc#>>'{contact,email}', '')`,
  })

/**
 * The statements that read columns of a stored cart, behind the state that its prices depend on. The first is for carts
 * without codes, as nearly all are, and says whether the cart has one.
 */
export function storedCartSql(columns: string) {
  const codes = `jsonb_path_query_array((carts.hidden#>'{contents,codes}')::jsonb, '$[*].code')`
  const isCurrent = `NOT ${hasExpired('expires_at', '$3')}`
  const textWith = (state: string) =>
    `SELECT carts.hidden#>>'{contents,codes,0}' IS NOT NULL, ${state}, ${columns} FROM carts
     WHERE store_id = $1 AND reference = $2 AND ${isCurrent}` as const
  return [textWith(stateOf()), textWith(stateOf(codes))] as const
}

/** Reads a stored cart: the columns of `storedCartSql`, behind its state. */
export async function readStoredCart(
  { store, clock }: Work,
  [withoutCodes, withCodes]: ReturnType<typeof storedCartSql>,
  name: string,
): Promise<Tuple | undefined> {
  const [row] = await store.read(withoutCodes, name, clock.now())
  if (row?.[0] !== 't') return row?.slice(1)
  return (await store.read(withCodes, name, clock.now()))[0]?.slice(1)
}

const wholeCartSql = storedCartSql(wholeColumns(carts))

/** The statement that reads a cart without codes, with the state that its prices depend on. */
export const cartSql = (storeId: string, name: string, now: Date): Sql => ({
  text: wholeCartSql[0],
  values: [storeId, name, now],
})

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
  const { tuple, stored } = await untilWritten(async () => {
    const tuple = await readStoredCart(work, wholeCartSql, name)
    const rows = await store.rowsOf(carts, tuple ? [tuple] : [], 1)
    return rows && { tuple, stored: rows[0] as Cart | undefined }
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
