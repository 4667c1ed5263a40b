import type { CreatedObject, OwnServer } from './own-server.ts'

/**
 * Creates two price books, the stronger first, with a price for every product. One price of each is created through
 * the API and then copied by SQL.
 */
export async function seedPrices({ call, database }: OwnServer): Promise<readonly string[]> {
  const make = async (path: string, data: object) =>
    (await call<{ data: CreatedObject }>('POST', path, data, 201)).data.id
  const pricebookIds: string[] = []
  for (const [i, name] of ['Sale', 'List'].entries()) {
    const id = await make('/pcm/pricebooks', { type: 'pricebook', attributes: { name } })
    const currencies = {
      USD: { amount: 1000 + i, includes_tax: false },
      EUR: { amount: 900 + i, includes_tax: true },
    }
    const attributes = { sku: 'as-all', currencies }
    await make(`/pcm/pricebooks/${id}/prices`, { type: 'product-price', attributes })
    pricebookIds.push(id)
  }
  await database.run({ text: copies, values: [], long: true })
  await database.run({ text: 'ANALYZE prices', values: [], long: true })
  return pricebookIds
}

const copies = `WITH quiet AS (SELECT set_config('session_replication_role', 'replica', true))
  INSERT INTO prices (store_id, pricebook_id, id, created_at, updated_at, doc, hidden)
  SELECT p.store_id, p.pricebook_id, md5(p.id || s.sku)::uuid, p.created_at, p.updated_at,
    replace(p.doc::text, 'as-all', s.sku)::json, p.hidden
  FROM quiet, prices p JOIN products s ON s.store_id = p.store_id AND s.sku IS NOT NULL WHERE p.sku = 'as-all'`
