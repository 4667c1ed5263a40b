import type { Store } from '../../kernel/storage/store.ts'
import { bindShop, priceRowsSql, spansSql } from '../matching/field-values.ts'
import { completeColumn, type FieldColumn, valuesMax } from './index-fields.ts'
import type { IndexedShop } from './index-pieces.ts'

/** What products cost in a currency, as the shopper's price books say it between two instants. */
export interface PriceColumn extends FieldColumn {
  /** Milliseconds. */
  readonly from: number
  readonly until: number
}

/** Undefined if there are too many amounts. */
export async function readPrices(
  store: Store,
  indexed: IndexedShop,
  currency: string,
): Promise<PriceColumn | undefined> {
  const { shop } = indexed
  const amounts = bindShop(shop)
  const amountRows = await store.page({
    text: `SELECT v.amount FROM ${priceRowsSql(currency, shop, amounts.bind)}
      GROUP BY v.amount ORDER BY v.amount LIMIT ${valuesMax + 1}`,
    ...{ values: amounts.values, once: true, long: true },
  })
  const values = amountRows.map(([amount]) => ({
    ...{ id: amount as string, value: amount as string },
    number: Number(amount),
  }))
  const column = await completeColumn(store, indexed, {
    values,
    rows: (bind) => `SELECT v.id, v.amount AS value_id FROM ${priceRowsSql(currency, shop, bind)}`,
  })
  return column && { ...column, ...(await readPeriod(store, indexed, currency)) }
}

/** From the last instant at which one of the prices began or ended, until the next one. */
async function readPeriod(
  store: Store,
  { shop }: IndexedShop,
  currency: string,
): Promise<Pick<PriceColumn, 'from' | 'until'>> {
  const { values, bind } = bindShop(shop)
  const at = `${bind(shop.at)}::timestamptz`
  const [[from = null, until = null] = []] = await store.page({
    text: `SELECT 1000 * extract(epoch FROM max(t.at) FILTER (WHERE t.at <= ${at})),
        1000 * extract(epoch FROM min(t.at) FILTER (WHERE t.at > ${at}))
      FROM (SELECT DISTINCT v.valid_from, v.valid_to FROM ${spansSql(currency, shop, bind)}) v
      CROSS JOIN unnest(ARRAY[v.valid_from, v.valid_to]) AS t (at)`,
    ...{ values, once: true, long: true },
  })
  return { from: Number(from ?? -Infinity), until: Number(until ?? Infinity) }
}
