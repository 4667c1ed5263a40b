import { expect, test } from 'vitest'
import type { Instance, Work } from '../../../server/kernel/work/context.ts'
import { type Item, type Shop, toPriceTable } from '../../../server/prices/index.ts'
import type { ShopItem } from '../../../server/shop/shown/published-row.ts'
import { rememberItems } from '../../../server/shop/shown/remember-items.ts'
import type { ShopContext } from '../../../server/shop/view/shop-context.ts'

const work = { instance: {} as Instance } as Work
const context = { published: { releaseId: 'one', sources: {} } } as unknown as ShopContext

const shirt = (size: string) =>
  ({ sku: `SHIRT-${size}`, modifierNames: [size, '__proto__'] }) as unknown as Item

test('a remembered item has the price modifiers that it names, and not those that were read with it', async () => {
  const asked: number[] = []
  const shop = {
    async prices(books: readonly string[], items: readonly Item[]) {
      asked.push(items.length)
      return toPriceTable(
        books.flatMap((book) =>
          items.flatMap(({ modifierNames }) =>
            modifierNames.map((name) => ['modifier', book, name, `{"of":"${name}"}`]),
          ),
        ),
      )
    },
  } as unknown as Shop<ShopItem>
  const shirts = ['S', 'M', 'L'].map(shirt)
  for (const missing of [3, 0]) {
    const table = await rememberItems(work, context, shop).prices(['retail'], shirts)
    expect(asked.at(-1)).toBe(missing)
    const names = shirts.map((item) => Object.keys(table.bookPrices('retail', item).modifiers ?? {}))
    expect(names).toEqual([
      ['S', '__proto__'],
      ['M', '__proto__'],
      ['L', '__proto__'],
    ])
  }
})
