export { analyzePublished } from './analyze-published.ts'

import { pricebooksToAdd } from '../catalogs/index.ts'
import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { addPricebooks, queueMissingPricebooks } from './add-pricebooks.ts'
import { forgetEditions } from './forget-editions.ts'
import { reindexSearch, reindexSearches } from './reindex-search.ts'

export { addMissingPricebooks, addPricebooksAfter } from './add-pricebooks.ts'
export { EditionGone } from './edition-gone.ts'
export {
  type CatalogEdition,
  currentEdition,
  currentEditionSql,
  type Edition,
  editionOf,
  forgetAll,
  takeBack,
  toEdition,
  withdraw,
} from './editions.ts'
export { editionsMax } from './forget-editions.ts'
export { publishedItem } from './published-item.ts'
export { publishedPricebooks } from './published-pricebooks.ts'
export { publishedPrices } from './published-prices.ts'
export { componentProducts, type PublishedFacts } from './published-product.ts'
export { repricedProducts } from './repriced-products.ts'
export { valueId, wordId } from './value-id.ts'
export {
  chainsOf,
  codeLexeme,
  codeOf,
  foldText,
  isDense,
  joinedOf,
  partsOfDense,
  type Run,
  wordsOf,
} from './words.ts'
export { writeEdition } from './write-edition.ts'

export const publishing = module({
  name: 'publishing',
  about: 'Publishes catalogs, edition by edition.',
  jobs: [addPricebooks, reindexSearch],
  chores: [forgetEditions, reindexSearches],
  adds: [fill(pricebooksToAdd, queueMissingPricebooks)],
})
