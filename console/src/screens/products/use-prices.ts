import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { isItem, pageIn, valueAt } from '../../api/objects.ts'
import { termOf } from '../../api/terms.ts'
import { type PriceRow, rowOf } from './prices.ts'

const booksMax = 100

export interface ProductPrices {
  readonly rows: readonly PriceRow[]
  /** How many price books the store has, and the grid does not show. */
  readonly others: number
}

/** The prices of a SKU in all price books, each with its version. */
export const usePrices = (itemPath: string, sku: string) =>
  useQuery({
    queryKey: ['item', itemPath, 'prices', sku],
    queryFn: async ({ signal }): Promise<ProductPrices> => {
      const filter = termOf('eq', 'sku', sku)
      const query = new URLSearchParams({ filter, 'page[limit]': String(booksMax) })
      const [books, prices] = await Promise.all([
        send({ path: `/pcm/pricebooks?page[limit]=${booksMax}`, signal }),
        send({ path: `/pcm/pricebooks/prices?${query}`, signal }),
      ])
      const paths = new Map(
        pageIn(prices.body).rows.map((price) => {
          const bookId = String(valueAt(price, 'meta.pricebook_id'))
          return [bookId, `/pcm/pricebooks/${bookId}/prices/${String(price.id)}`]
        }),
      )
      const { rows, total = rows.length } = pageIn(books.body)
      const read = rows.map(async (book) => {
        const path = paths.get(String(book.id))
        if (path === undefined) return rowOf(book)
        const { body, etag } = await send({ path, signal })
        const item = valueAt(body, 'data')
        return rowOf(book, { path, etag, item: isItem(item) ? item : {} })
      })
      return { rows: await Promise.all(read), others: total - rows.length }
    },
    enabled: sku !== '',
  })
