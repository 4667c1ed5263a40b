import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName } from '../../kernel/query/find.ts'
import { choice, integer, text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Dialect } from './dialects.ts'
import { levelsOf, lockPlaces, moveStock, type StockPlace, shortage, showLevels } from './move-stock.ts'
import { changeBy, changes, changeToTotal, empty, type Level, levelMax } from './movements.ts'
import { mustBeOfStock, productId } from './product-of.ts'
import { stocks } from './stocks.ts'

/** Changes the stock of a product in one statement, so that concurrent changes are all counted. */
export const createStockTransaction = (dialect: Dialect) =>
  action({
    name: 'create-stock-transaction',
    route: 'POST /v2/inventories/:stock_id/transactions',
    queuesBy: 'stock_id',
    about:
      'Increases, decreases, allocates or deallocates the stock of a product, in a location or without one. ' +
      '`set` sets the total; the transaction then shows the resulting increase or decrease.',
    area: 'stock-transactions',
    status: dialect.created,
    shows: { resource: dialect.transactions },
    body: {
      type: 'stock-transaction',
      typeOptional: true,
      envelope: dialect.stocks.envelope,
      fields: {
        action: choice([...changes, 'set'], { required: true, about: 'What to do.', example: 'increment' }),
        quantity: integer({
          required: true,
          min: 0,
          max: levelMax,
          about: 'The quantity of the change; for `set`, the new total.',
        }),
        location: text({
          min: 1,
          max: 128,
          about: 'The slug of a location. Without it, the stock without a location changes.',
        }),
        product_id: productId,
      },
    },

    async run(ctx, { params, body: { action, quantity, location, product_id } }) {
      const places = await lockPlaces(ctx, location === undefined ? [] : [location])
      const place = location === undefined ? undefined : places.get(location)
      const { id } = await findByName(ctx, dialect.stocks, params.stock_id)
      mustBeOfStock({ product_id }, id, dialect.stocks.envelope)
      if (!(await ctx.store.lock(stocks, id)).size) throw notFound('stock', id)
      const adds = action === 'set' ? await addsToSet(ctx, id, place, quantity) : changeBy[action](quantity)
      const [transactionId = ''] = await moveStock(ctx, [
        { productId: id, place, adds, action: action === 'set' ? 'increment' : action },
      ])
      await showLevels(ctx, [id])
      const row = await findByName(ctx, dialect.transactions, transactionId, [id])
      return objectAnswer(dialect.created, dialect.transactions, row, ctx)
    },
  })

async function addsToSet(
  work: Work,
  productId: string,
  place: StockPlace | undefined,
  quantity: number,
): Promise<Level> {
  const level = (await levelsOf(work, productId))(place) ?? empty
  if (quantity < level.allocated) throw shortage([productId])
  return changeToTotal(quantity, level)
}
