import { cartSql } from '../../server/carts/cart/find-cart.ts'
import type { Window } from '../../server/kernel/query/page-text.ts'
import { parse } from '../../server/kernel/query/parse.ts'
import { plan } from '../../server/kernel/query/plan.ts'
import { pageSql } from '../../server/kernel/query/sql.ts'
import type { Model } from '../../server/kernel/shape/model.ts'
import type { Sql } from '../../server/kernel/storage/database.ts'
import { rowColumns } from '../../server/kernel/storage/stored-row.ts'
import { orders } from '../../server/orders/order/orders.ts'
import { accounts } from '../../server/people/accounts/accounts.ts'
import { type Bare, oneOf } from '../bare.ts'
import type { World } from './acts.ts'

const first: Window = { limit: 25, offset: 0, column: 'created_at', descending: true }

/** What acts come down to: the statement of a read, or one that writes the row. */
export function bareFormsOf({ storeId, customApiId }: Pick<World, 'storeId' | 'customApiId'>) {
  const oneRow = (of: Pick<Model, 'table'>, columns: string, id: string): Sql => ({
    text: `SELECT ${columns} FROM ${of.table} WHERE store_id = $1 AND id = $2`,
    values: [storeId, id],
  })
  const page = (query: string): Bare => ({
    sql: pageSql({ resource: accounts, scope: [] }, plan(parse(query), accounts).filter, first, storeId),
    quick: false,
  })
  const columns = rowColumns(accounts)
  const doc = JSON.stringify({ name: 'Bare', legal_name: 'Bare Ltd', external_ref: null })
  const order = (id: string) => oneRow(orders, rowColumns(orders), id)
  const by = `FROM set_config('sutler.by', 'bench bench', true)`
  const written = (text: string, values: readonly unknown[]): Bare => ({
    sql: { text, values },
    quick: false,
  })
  return {
    accounts: page(''),
    account: (id: string): Bare => ({ sql: oneRow(accounts, columns, id), quick: true }),
    accountsByName: (name: string) => page(`filter=${encodeURIComponent(`eq(name,${name})`)}`),
    newAccount: written(
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
       SELECT $1::uuid, $2::uuid, now(), now(), $3::json ${by} RETURNING ${columns}`,
      [storeId, '$id', doc],
    ),
    changedAccount: (ids: readonly string[]) =>
      written(
        `UPDATE accounts SET version = version + 1, updated_at = now(), doc = $3::json
         ${by} WHERE store_id = $1 AND id = $2 RETURNING ${columns}`,
        [storeId, oneOf(ids), doc],
      ),
    newEntry: written(
      `INSERT INTO entries (store_id, custom_api_id, id, created_at, updated_at, doc, hidden)
       SELECT $1::uuid, $2::uuid, $3::uuid, now(), now(), $4::json, '{"meta": {"data_size": 6}}'::json
       ${by} RETURNING id, version, created_at, updated_at, doc`,
      [storeId, customApiId, '$id', JSON.stringify({ title: 'Bare', amount: 7 })],
    ),
    cart: (name: string): Bare => ({ sql: cartSql(storeId, name, new Date()), quick: true }),
    order: (id: string): Bare => ({ sql: order(id), quick: true }),
    orderWithItems: (id: string): Bare => ({
      before: [order(id)],
      sql: {
        text: 'SELECT order_id, doc FROM order_contents WHERE store_id = $1 AND order_id = ANY($2::uuid[])',
        values: [storeId, [id]],
      },
      quick: true,
    }),
  }
}
