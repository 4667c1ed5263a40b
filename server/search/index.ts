import { module } from '../kernel/module.ts'
import { ofWholeEdition } from '../storefront/index.ts'
import { multiSearch } from './multi-search.ts'

export const searchChapter = module({
  name: 'search',
  about: 'Searches the products that shoppers see.',
  actions: [ofWholeEdition(multiSearch)],
})
