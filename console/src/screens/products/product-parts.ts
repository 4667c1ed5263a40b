import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { PricesTab } from './prices-tab.tsx'
import { ShopTab } from './shop-tab.tsx'
import { VariationsTab } from './variations-tab.tsx'

export const productParts: RecordParts = {
  tabs: [
    { id: 'shop', title: () => screenWords.products.shop.tab, Content: ShopTab },
    { id: 'prices', title: () => screenWords.products.prices.tab, Content: PricesTab },
    { id: 'variations', title: () => screenWords.products.variations.tab, Content: VariationsTab },
  ],
}
