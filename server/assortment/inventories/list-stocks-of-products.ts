import { action } from '../../kernel/declare/action.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findAll } from '../../kernel/query/find.ts'
import { choice, group, list, reference } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Dialect } from './dialects.ts'

const products = list(
  group(
    {
      type: choice(['stock'], {}),
      id: reference('product', { required: true, about: 'The id of a product.' }),
    },
    {},
  ),
  { maxItems: 1000, about: 'The products.' },
)

/** The stock of some products. */
export const listStocksOfProducts = (dialect: Dialect) =>
  action({
    name: 'list-stocks-of-products',
    route: 'POST /v2/inventories/multiple',
    about:
      'Lists the stock of the given products, in their order. Products whose stock is not tracked are left out.',
    area: 'inventories',
    status: 200,
    reads: true,
    shows: { data: shown.list(objectOf(() => dialect.stocks)) },
    data: products,
    async run(ctx, { data }) {
      const ids = (data as readonly { readonly id: string }[]).map(({ id }) => id)
      const rows = await findAll(ctx, dialect.stocks, ids)
      const shown = rows.map((row) => objectText(dialect.stocks, row, ctx, true))
      return { status: 200, body: `{"data":[${shown.join(',')}]}` }
    },
  })
