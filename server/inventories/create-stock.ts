import { action } from '../kernel/action.ts'
import type { Ctx } from '../kernel/context.ts'
import { group, integer, map, reference } from '../kernel/fields.ts'
import { objectAnswer } from '../kernel/http/answer.ts'
import { newId } from '../kernel/ids.ts'
import { add, findVisible, resolve } from '../kernel/operations.ts'
import type { Dialect } from './dialects.ts'
import { keepPlaces, type Movement, moveStock } from './move-stock.ts'
import { empty, levelMax } from './movements.ts'
import { stocks } from './stocks.ts'

const quantity = { min: 0, max: levelMax } as const

export const availableAt = group(
  { available: integer({ ...quantity, required: true, about: 'How many.' }) },
  {},
)

/** Stock of a product, in locations or in none. */
export const createStock = (dialect: Dialect) =>
  action({
    name: 'create-stock',
    route: 'POST /v2/inventories',
    about: 'Counts a product from now on: so many lie in each location, and so many in none.',
    area: 'inventories',
    status: 201,
    shows: { resource: dialect.stocks },
    body: {
      type: 'stock',
      envelope: dialect.stocks.envelope,
      fields: {
        id: reference('product', { about: 'Of the product. Without it, a new one.' }),
        available: integer({ ...quantity, about: 'How many lie in no location. None, if nothing is said.' }),
        locations: map(availableAt, { maxKeys: 1000, about: 'How many lie in a location, by its slug.' }),
      },
    },

    async run(ctx, { body: { id = newId(), available, locations = {} } }) {
      return create(ctx, dialect, id, available, locations)
    },
  })

/** Stock of the product that the path names. */
export const createStockOfProduct = (dialect: Dialect) =>
  action({
    name: 'create-stock-of-product',
    route: 'POST /v2/inventories/:id',
    about: 'Counts a product from now on: there are so many.',
    area: 'inventories',
    status: 201,
    shows: { resource: dialect.stocks },
    body: {
      type: 'stock',
      typeOptional: true,
      fields: { quantity: integer({ ...quantity, default: 0, about: 'How many.' }) },
    },

    async run(ctx, { params, body }) {
      const id = await resolve(ctx, stocks, [], params.id)
      return create(ctx, dialect, id, body.quantity, {})
    },
  })

async function create(
  ctx: Ctx,
  dialect: Dialect,
  id: string,
  inNone: number | undefined,
  locations: Readonly<Record<string, { readonly available: number }>>,
) {
  const places = await keepPlaces(ctx, Object.keys(locations))
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
  return objectAnswer(201, dialect.stocks, await findVisible(ctx, dialect.stocks, id), ctx)
}
