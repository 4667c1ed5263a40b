import { action } from '../../kernel/declare/action.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findAll } from '../../kernel/query/find.ts'
import { totalSql } from '../../kernel/query/places.ts'
import { choice, group, integer, list, map, reference, text, type Values } from '../../kernel/shape/fields.ts'
import { type FilterRule, indexed, walks } from '../../kernel/shape/model.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Dialect } from './dialects.ts'
import { inventoryEnvelope } from './stock-envelope.ts'

const counted = (about: string) => integer({ required: true, readOnly: true, min: 0, about })

const numbers = {
  available: counted('The quantity that can be sold.'),
  allocated: counted('The quantity that is paid for, but not shipped yet.'),
  total: counted('The sum of both.'),
}

const inLocation = group(
  { available: integer({ required: true }), allocated: integer({}), total: integer({}) },
  {},
)

const fields = {
  ...numbers,
  locations: map(inLocation, {
    readOnly: true,
    maxKeys: 10_000,
    about: 'The stock in each location, by slug. There can be more stock without a location.',
  }),
}

const locatedIn: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, slugs, bind) =>
    `stocks.id IN (SELECT l.stock_id FROM inventory_locations i JOIN stock_levels l ON l.store_id = $1
      AND l.location_id = i.id WHERE i.store_id = $1 AND i.slug = ANY(${bind(slugs)}::text[]))`,
}

/** The located form, which is also the stored one. */
export const stocks = resource({
  type: 'stock',
  noun: ['located-stock', 'located-stocks'],
  about:
    'The stock of a product, with the id of the product. A product without stock is not tracked and never runs out.',
  path: '/v2/inventories',
  table: 'stocks',
  fields,
  filter: {
    ...walks,
    available: { ...indexed('eq', 'gt', 'ge', 'lt', 'le'), type: 'number' },
    product_id: { ops: ['eq'], type: 'uuid', column: 'id', indexed: true },
    location: locatedIn,
    // The name in the located dialect.
    locations: locatedIn,
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'inventories',
  visible: 'all',
  operations: ['list', 'get', 'delete'],
  meta: {
    fields: {
      stock_id: text({ format: 'uuid', about: 'The id of the product, which is also the id of the stock.' }),
    },
    of: ({ id }) => ({ stock_id: id }),
  },
  envelope: inventoryEnvelope,
  constraints: {
    stocks_pkey: {
      code: 'invalid_field',
      detail: 'The stock of the product is already tracked; change it by a transaction.',
      source: 'data.id',
    },
  },
})

const shownFlat = (row: string): string =>
  `json_build_object(${Object.keys(numbers).map((name) => `'${name}', ${row}doc->'attributes'->'${name}'`)})`

/** The flat form. */
export const flatStocks: Resource<typeof numbers> = resource({
  ...stocks,
  noun: ['stock', 'stocks'],
  fields: numbers,
  envelope: { ...inventoryEnvelope, fields: 'top' },
  shownAs: shownFlat,
  listMeta: {
    fields: {
      results: group(
        { all: integer({ required: true, about: 'The number of records, before filters.' }) },
        {},
      ),
    },
    of: async ({ store }, { filter }, total) => {
      const [counted] = filter ? await store.read(totalSql(flatStocks) as `SELECT ${string}`) : []
      return { results: { all: counted ? Number(counted[0]) : total } }
    },
  },
})

type Stock = Values<(typeof stocks)['fields']>

/** Finds the current stock of products, by product id. Products whose stock is not tracked are left out. */
export async function stockOf(
  work: Work,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, Stock>> {
  const rows = await findAll(work, stocks, productIds)
  return new Map(rows.map(({ id, doc }) => [id, doc]))
}

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
