import { module } from '../kernel/module.ts'
import { catalogRules } from './catalog-rules.ts'
import { catalogs } from './catalogs.ts'
import { validateCatalogRules } from './validate-catalog-rules.ts'

export {
  accountsOf,
  type ChosenCatalog,
  catalogFor,
  choiceHoldsUntil,
  chooseCatalog,
  type WaitingRule,
} from './catalog-for.ts'
export { pricebooksToAdd } from './catalog-rules.ts'
export { isDeltaLink } from './delta-link.ts'
export { pendingRules, pricebooksOfRules, putIntoEffect } from './pending-rules.ts'
export { inOrder, type PrioritizedPricebook } from './prioritized-pricebooks.ts'
export { type Release, type ReleaseFields, releases } from './releases.ts'
export { loadRules, rulesStateSql } from './rules-of-store.ts'
export { requestedInstant, type Shopper, shopperOf } from './shopper-context.ts'
export { catalogRules, catalogs }

export const catalogChapter = module({
  name: 'catalogs',
  about: 'Catalogs, and the rules that choose the catalog of a shopper.',
  alsoUnder: '/pcm',
  resources: [catalogs, catalogRules],
  actions: [validateCatalogRules],
})
