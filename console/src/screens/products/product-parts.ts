import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { ShopTab } from './shop-tab.tsx'

export const productParts: RecordParts = {
  tabs: [{ id: 'shop', title: () => screenWords.products.shop.tab, Content: ShopTab }],
}
