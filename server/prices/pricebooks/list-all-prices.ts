import { action } from '../../kernel/declare/action.ts'
import { list } from '../../kernel/request/operations.ts'
import { prices, pricesOfStore } from './prices.ts'

/** The prices of all price books. */
export const listAllPrices = action({
  name: 'list-all-prices',
  route: 'GET /pcm/pricebooks/prices',
  about: 'Lists the prices of all price books, a page at a time, newest first.',
  area: 'pricebooks',
  status: 200,
  shows: { resource: prices, page: true, rows: [pricesOfStore] },
  run: (ctx, call) => list(ctx, pricesOfStore, [ctx.store.id], call),
})
