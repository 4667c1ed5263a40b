import { carts } from '../server/carts/cart/carts.ts'
import type { Database } from '../server/kernel/storage/database.ts'
import { returning, statementsOf } from '../server/kernel/storage/row-statements.ts'
import { wholeColumns } from '../server/kernel/storage/stored-row.ts'

/** The writes of changes of carts without anything else, through the server's own driver. */

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
      const rows = await transaction.run({ text: returning(carts, statementsOf(carts).update), values })
      if (rows.length !== 1) throw new Error(`version ${version} was changed`)
      version += 1
    })
}
