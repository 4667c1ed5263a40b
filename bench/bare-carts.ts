import { randomUUID } from 'node:crypto'
import { carts } from '../server/carts/cart/carts.ts'
import type { Database } from '../server/kernel/storage/database.ts'
import { statementsOf } from '../server/kernel/storage/row-statements.ts'
import { wholeColumns } from '../server/kernel/storage/stored-row.ts'
import { orders } from '../server/orders/order/orders.ts'

/** The writes of changes of carts and of checkouts without anything else, through the server's own driver. */

type Change = () => Promise<void>

const by = 'bench bench'

/**
 * Writes the document that a cart has now into another row again and again: it locks the row, reads it and writes
 * it, in one transaction, as any change must.
 */
export async function bareChangeOf(database: Database, name: string): Promise<Change> {
  const [row] = await database.run({
    text: `INSERT INTO carts (store_id, id, created_at, updated_at, doc, hidden, inside)
      SELECT c.store_id, gen_random_uuid(), now(), now(), (c.doc::jsonb || jsonb_build_object('id', c.reference || '-' || gen_random_uuid()))::json, c.hidden, c.inside
      FROM carts c, set_config('sutler.by', $2, true) WHERE c.reference = $1 RETURNING store_id, id, doc, hidden, inside`,
    values: [name, by],
  })
  if (!row) throw new Error(`no cart ${name}`)
  const [storeId, id, doc, hidden, inside] = row
  let version = 0
  return () =>
    database.transaction(async (transaction) => {
      await transaction.run({
        text: `SELECT ${wholeColumns(carts)} FROM carts WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE`,
        values: [storeId, id],
      })
      const values = [
        storeId,
        id,
        new Date(),
        doc,
        hidden,
        inside,
        `${by} ${new Date().toISOString()}`,
        version,
      ]
      const { update, returning } = statementsOf(carts)
      const rows = await transaction.run({ text: update + returning, values })
      if (rows.length !== 1) throw new Error(`version ${version} was changed`)
      version += 1
    })
}

/**
 * Writes an order that exists once more under another id, as its checkout wrote it: it locks the cart, and inserts
 * the order and its contents, in one transaction.
 */
export async function bareCheckoutOf(database: Database, orderId: string): Promise<Change> {
  const [row] = await database.run({
    text: `SELECT o.store_id, o.doc, o.hidden, c.doc FROM orders o
      JOIN order_contents c ON c.store_id = o.store_id AND c.order_id = o.id WHERE o.id = $1`,
    values: [orderId],
  })
  if (!row) throw new Error(`no order ${orderId}`)
  const [storeId, doc, stored = '', contents] = row
  const hidden = JSON.parse(stored ?? '') as { readonly cart: { readonly id: string } }
  let version = 1_000_000
  return () =>
    database.transaction(async (transaction) => {
      await transaction.run({
        text: `SELECT ${wholeColumns(carts)} FROM carts WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE`,
        values: [storeId, hidden.cart.id],
      })
      version += 1
      const id = randomUUID()
      const next = JSON.stringify({ ...hidden, cart: { ...hidden.cart, version } })
      const values = [storeId, id, new Date(), doc, next, `${by} ${new Date().toISOString()}`]
      const { insert, returning } = statementsOf(orders)
      await transaction.run({ text: insert + returning, values })
      await transaction.run({
        text: 'INSERT INTO order_contents (store_id, order_id, doc) VALUES ($1, $2, $3)',
        values: [storeId, id, contents],
      })
    })
}
