import { resource } from '../../kernel/declare/resource.ts'
import { choice, flag, group, integer, reference, text } from '../../kernel/shape/fields.ts'
import { indexed, walks } from '../../kernel/shape/model.ts'
import { changes } from './movements.ts'
import { inventoryEnvelope } from './stock-envelope.ts'
import { flatStocks, stocks } from './stocks.ts'

const shownOnly = { required: true, readOnly: true } as const

const facts = {
  product_id: reference('stock', { ...shownOnly, about: 'The id of the product.' }),
  quantity: integer({ ...shownOnly, min: 0, about: 'The quantity of the change.' }),
  location: text({
    readOnly: true,
    about: 'The slug that the location had at that time. Absent for stock without a location.',
  }),
}

const fields = {
  action: choice(changes, { ...shownOnly, about: 'What changed.' }),
  ...facts,
  /** The stock was created with it. */
  first: flag({ hidden: true, readOnly: true }),
}

/** The located form, which is also the stored one. */
export const stockTransactions = resource({
  type: 'stock-transaction',
  noun: ['located-stock-transaction', 'located-stock-transactions'],
  about: 'A change of the stock of a product. Transactions cannot be changed.',
  path: '/v2/inventories/:stock_id/transactions',
  parent: () => stocks,
  table: 'stock_transactions',
  fields,
  filter: {
    id: walks.id,
    created_at: walks.created_at,
    action: indexed('eq'),
    location: indexed('eq'),
  },
  sort: ['created_at', 'id'],
  area: 'stock-transactions',
  operations: ['list', 'get'],
  envelope: inventoryEnvelope,
})

const shownFlat = (row: string): string => {
  const attribute = (name: string) => `'${name}', ${row}doc->'attributes'->'${name}'`
  return (
    `json_strip_nulls(json_build_object('action', CASE WHEN ${row}hidden->>'first' IS NULL ` +
    `THEN ${row}doc->'attributes'->>'action' ELSE 'create' END, ` +
    `${attribute('product_id')}, ${attribute('quantity')}, ${attribute('location')}, 'timestamps', ` +
    `json_build_object('created_at', to_char(${row}created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') ` +
    `|| ' +0000 UTC')))`
  )
}

/** The flat form. */
export const flatStockTransactions = resource({
  type: stockTransactions.type,
  noun: ['stock-transaction', 'stock-transactions'],
  about: stockTransactions.about,
  path: stockTransactions.path,
  parent: () => flatStocks,
  table: stockTransactions.table,
  fields: {
    action: choice([...changes, 'create'], { ...shownOnly, about: 'What changed.' }),
    ...facts,
    timestamps: group(
      { created_at: text({ required: true }) },
      { ...shownOnly, about: 'When the transaction was created.' },
    ),
  },
  // Responses show the time in whole seconds, so filters do not compare it.
  filter: { id: walks.id, location: indexed('eq') },
  sort: ['id'],
  area: stockTransactions.area,
  operations: ['list', 'get'],
  envelope: { ...inventoryEnvelope, fields: 'top', times: 'none' },
  shownAs: shownFlat,
})
