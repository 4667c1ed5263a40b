import { dataOf } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName, resolveId } from '../../kernel/query/find.ts'
import { etagOf } from '../../kernel/shape/answer.ts'
import { field } from '../../kernel/shape/fields.ts'
import { mustMatch } from '../../kernel/write/must-match.ts'
import type { Dialect } from './dialects.ts'
import { endLevels } from './end-levels.ts'
import { levelsOf, lockPlaces, type Movement, moveStock, type StockPlace, showLevels } from './move-stock.ts'
import { type Level, levelMax } from './movements.ts'
import { refuseOtherStock } from './new-stock.ts'
import { mustBeOfStock, productId } from './product-of.ts'
import { stocks } from './stocks.ts'

const locations = field<Readonly<Record<string, { readonly available: number } | null>> | undefined>(
  {
    type: 'object',
    maxProperties: 1000,
    additionalProperties: {
      type: ['object', 'null'],
      required: ['available'],
      properties: { available: { type: 'integer', minimum: 0, maximum: levelMax } },
    },
  },
  { about: 'The available quantity in each location, by slug; null removes the location from the stock.' },
)

export const updateStock = (dialect: Dialect) =>
  action({
    name: 'update-stock',
    route: 'PUT /v2/inventories/:id',
    queuesBy: 'id',
    about:
      'Sets the available quantity in the locations that are sent; null removes a location and its stock. ' +
      'Other locations, and stock without a location, do not change.',
    area: 'inventories',
    status: 200,
    shows: { resource: dialect.stocks },
    refuses: ['precondition_failed'],
    body: { type: 'stock', envelope: dialect.stocks.envelope, fields: { locations, product_id: productId } },

    async run(ctx, { params, body, rawBody, ifMatch }) {
      const changes = Object.entries(body.locations ?? {})
      const places = await lockPlaces(
        ctx,
        changes.map(([slug]) => slug),
      )
      const id = await resolveId(ctx, stocks, [], params.id)
      mustBeOfStock(body, id, dialect.stocks.envelope)
      await ctx.store.lock(stocks, id)
      mustMatch(etagOf(await findByName(ctx, dialect.stocks, id)), ifMatch)
      // Clients may send back what they read.
      if (!body.locations) refuseOtherStock(dataOf(rawBody), (await findByName(ctx, stocks, id)).doc)
      const levelAt = await levelsOf(ctx, id)

      const set: Movement[] = []
      const ended: { productId: string; place: StockPlace; level: Level }[] = []
      for (const [slug, wish] of changes) {
        const place = places.get(slug) as StockPlace
        const level = levelAt(place)
        if (!wish) {
          if (level) ended.push({ productId: id, place, level })
        } else if (wish.available !== level?.available) {
          const adds = { available: wish.available - (level?.available ?? 0), allocated: 0 }
          set.push({ productId: id, place, adds })
        }
      }
      if (set.length) await moveStock(ctx, set)
      if (ended.length) await endLevels(ctx, ended)
      if (set.length || ended.length) await showLevels(ctx, [id])
      return objectAnswer(200, dialect.stocks, await findByName(ctx, dialect.stocks, id), ctx)
    },
  })
