import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { pricebooksToAdd } from '../catalogs/catalog-rules.ts'
import { addPricebooks, queueMissingPricebooks } from './add-pricebooks.ts'
import { forgetEditions } from './forget-editions.ts'
import { reindexSearch, reindexSearches } from './reindex-search.ts'

export const publishing = module({
  name: 'publishing',
  about: 'Publishes catalogs, edition by edition.',
  jobs: [addPricebooks, reindexSearch],
  chores: [forgetEditions, reindexSearches],
  adds: [fill(pricebooksToAdd, queueMissingPricebooks)],
})
