import { Memory } from '../../kernel/memory.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { Item, PriceTable, Shop } from '../../prices/index.ts'
import type { ShopContext } from '../view/shop-context.ts'
import type { ShopItem } from './published-row.ts'

/** The prices of an item, by price book. */
type BooksOfItem = ReadonlyMap<string, ReturnType<PriceTable['bookPrices']>>

/** The characters of all products, and of all prices, that a process remembers: those of 2,000 usual products. */
const charsMax = 4_000_000

const memoryOf = <T>(textOf: (value: T) => unknown) =>
  perInstance(
    () => new Memory<string, T>(charsMax, { sizeOf: (_key, value) => JSON.stringify(textOf(value)).length }),
  )

const itemsOf = memoryOf<ShopItem>(({ row }) => row)
const pricesOf = memoryOf<BooksOfItem>((books) => [...books.values()])

/**
 * A shop that reads each published product once. What an edition has of a product does not change, except that price
 * books may be added. The caller knows that the edition is still the one that shoppers see.
 */
export function rememberItems(
  { instance }: Work,
  { published, unpublishedBooks }: ShopContext,
  shop: Shop<ShopItem>,
): Shop<ShopItem> {
  // Their prices are the live ones.
  if (unpublishedBooks?.length) return shop
  const { releaseId, sources } = published
  const edition = [releaseId, sources.additions ?? 0]
  const [items, prices] = [itemsOf(instance), pricesOf(instance)]
  const keyOf = (...parts: readonly unknown[]) => JSON.stringify([...edition, ...parts])

  const remembering =
    (find: Shop<ShopItem>['findItems'], name: 'id' | 'sku') =>
    async (names: readonly string[]): Promise<readonly ShopItem[]> => {
      const known = names.flatMap((one) => items.get(keyOf(name, one)) ?? [])
      const knownNames = new Set(known.map((item) => item[name]))
      const missing = names.filter((one) => !knownNames.has(one))
      const found = missing.length ? await find(missing) : []
      for (const item of found) items.set(keyOf(name, item[name]), item)
      return [...known, ...found]
    }

  return {
    ...shop,
    findItems: remembering(shop.findItems, 'id'),
    findItemsBySku: remembering(shop.findItemsBySku, 'sku'),
    async prices(books, some) {
      const keyOfPrices = ({ sku, parentSku, modifierNames }: Item) =>
        keyOf(books, sku, parentSku, modifierNames)
      const known = new Map(some.map((item) => [item, prices.get(keyOfPrices(item))]))
      const missing = some.filter((item) => !known.get(item))
      const table = await shop.prices(books, missing)
      for (const item of missing) {
        const ofItem = new Map(books.map((book) => [book, ownOf(table.bookPrices(book, item), item)]))
        known.set(item, ofItem)
        prices.set(keyOfPrices(item), ofItem)
      }
      const bySku = new Map([...known].map(([item, ofItem]) => [skusOf(item), ofItem]))
      // Each item is asked about several times, and is seldom a copy, such as one with selected parts.
      const booksOf = (item: Parameters<PriceTable['bookPrices']>[1]) =>
        known.get(item as ShopItem) ?? bySku.get(skusOf(item))
      return { bookPrices: (id, item) => booksOf(item)?.get(id) ?? { pricebookId: id } }
    },
  }
}

/**
 * A price table has the price modifiers of all items that were read with it. Each item keeps its own: with those of the
 * others, a thousand items would take a million of them to count.
 */
const ownOf = ({ modifiers, ...prices }: ReturnType<PriceTable['bookPrices']>, { modifierNames }: Item) => ({
  ...prices,
  modifiers:
    modifiers &&
    Object.fromEntries(
      modifierNames.flatMap((name) => {
        const modifier = ownValue(modifiers, name)
        return modifier ? [[name, modifier] as const] : []
      }),
    ),
})

const skusOf = ({ sku, parentSku }: Pick<Item, 'sku' | 'parentSku'>) => JSON.stringify([sku, parentSku])
