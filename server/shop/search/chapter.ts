import { module } from '../../kernel/module.ts'
import { ofWholeEdition } from '../view/whole-edition.ts'
import { multiSearch } from './multi-search.ts'

export const searchChapter = module({
  name: 'search',
  about: 'Searches the products that shoppers see.',
  actions: [ofWholeEdition(multiSearch)],
})
