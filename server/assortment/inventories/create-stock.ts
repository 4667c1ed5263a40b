import { dataOf } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { newId } from '../../kernel/ids.ts'
import { findByName, resolveId } from '../../kernel/query/find.ts'
import { reference } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import type { Dialect } from './dialects.ts'
import { lockPlaces, type Movement, moveStock } from './move-stock.ts'
import { empty } from './movements.ts'
import { type NewStock, newStock, newStockFields } from './new-stock.ts'
import { productOf } from './product-of.ts'
import { stocks } from './stocks.ts'

export const createStock = (dialect: Dialect) =>
  action({
    name: 'create-stock',
    route: 'POST /v2/inventories',
    about:
      'Starts to track the stock of a product, with the quantity in each location and without a location.',
    area: 'inventories',
    status: 201,
    shows: { resource: dialect.stocks },
    body: {
      type: 'stock',
      fields: {
        id: reference('product', { about: 'The id of the product. By default a new id.' }),
        ...newStockFields,
      },
    },

    async run(ctx, { body, rawBody }) {
      return create(ctx, dialect, productOf(body) ?? newId(), newStock(body, dataOf(rawBody)))
    },
  })

export const createStockOfProduct = (dialect: Dialect) =>
  action({
    name: 'create-stock-of-product',
    route: 'POST /v2/inventories/:id',
    about: 'Starts to track the stock of the product in the path.',
    area: 'inventories',
    status: 201,
    shows: { resource: dialect.stocks },
    body: { type: 'stock', typeOptional: true, fields: newStockFields },

    async run(ctx, { params, body, rawBody }) {
      const id = await resolveId(ctx, stocks, [], params.id)
      return create(ctx, dialect, productOf(body, id) ?? id, newStock(body, dataOf(rawBody)))
    },
  })

async function create(ctx: Ctx, dialect: Dialect, id: string, { inNone, locations }: NewStock) {
  const places = await lockPlaces(ctx, Object.keys(locations))
  const named = Object.entries(locations).map(
    ([slug, { available }]) => [places.get(slug), available] as const,
  )
  const levels = named.length && inNone === undefined ? named : [[undefined, inNone ?? 0] as const, ...named]
  const available = levels.reduce((sum, [, n]) => sum + n, 0)
  const inLocations = named.map(([place, n]) => [place?.slug ?? '', { available: n, allocated: 0, total: n }])
  await add(
    ctx,
    stocks,
    [],
    { available, allocated: 0, total: available, locations: Object.fromEntries(inLocations) },
    id,
  )
  await moveStock(
    ctx,
    levels.map(([place, n]): Movement => {
      const adds = { ...empty, available: n }
      return { productId: id, place, adds, first: true }
    }),
  )
  return objectAnswer(201, dialect.stocks, await findByName(ctx, dialect.stocks, id), ctx)
}
