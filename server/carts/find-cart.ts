import { notFound } from '../kernel/errors.ts'
import { hasExpired } from '../kernel/query/find.ts'
import { unbornRow } from '../kernel/query/unborn.ts'
import { Binds } from '../kernel/storage/binds.ts'
import { toRow, wholeColumns } from '../kernel/storage/stored-row.ts'
import type { Work } from '../kernel/work/context.ts'
import type { CartValues } from './cart-shop.ts'
import { stateSql } from './cart-state.ts'
import { type CartRow, carts } from './carts.ts'
import { mayUse, ownersOf } from './owners.ts'
import { priceCart } from './price-cart.ts'

const state = stateSql('carts.accounts')

/**
 * A cart with current prices. One statement reads it and says whether its prices still hold; if not, it is priced anew
 * for the response only: no reader changes its version or when it expires.
 */
export async function findCart(work: Work, name: string): Promise<CartRow> {
  const { store, clock } = work
  const now = clock.now()
  const binds = new Binds([store.id, name])
  const [tuple] = await store.read(
    `SELECT ${state}, ${wholeColumns(carts)} FROM carts
     WHERE store_id = $1 AND reference = $2 AND NOT ${hasExpired('expires_at', binds.bind, now)}`,
    ...binds.values.slice(1),
  )
  if (!tuple) {
    const unborn = await unbornRow(work, carts, name)
    if (!unborn) throw notFound('cart', name)
    return unborn
  }
  const row = parsed(toRow(carts, tuple, 1))
  mayUse(work, ownersOf(row))
  const { priced } = row.hidden
  const until = priced?.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(priced.until)
  if (priced?.state === tuple[0] && now.getTime() < until) return row
  const cart = { ...row.doc, ...row.hidden } as CartValues
  return { ...row, hidden: { ...row.hidden, ...(await priceCart(work, cart)) } }
}

/** The row with its documents parsed once. */
export const parsed = (row: CartRow): CartRow => ({
  id: row.id,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  text: row.text,
  written: row.written,
  scope: row.scope,
  doc: row.doc,
  hidden: row.hidden,
})
