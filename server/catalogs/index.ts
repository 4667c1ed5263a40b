import { module } from '../kernel/module.ts'
import { catalogRules } from './catalog-rules.ts'
import { catalogs } from './catalogs.ts'
import { validateCatalogRules } from './validate-catalog-rules.ts'

export { accountsOf, type ChosenCatalog, catalogFor, chosenCatalog } from './catalog-for.ts'
export { catalogEnvelope } from './envelope.ts'
export { inOrder, type PrioritizedPricebook } from './prioritized-pricebooks.ts'
export type { Verdict } from './resolve-rule.ts'
export { beforeRules, rulesAfter } from './rules-of-store.ts'
export { instantAsked, type Shopper, shopperOf } from './shopper-context.ts'
export { catalogs }

export const catalogChapter = module({
  name: 'catalogs',
  about: 'What is sold where and at which prices, and the rules that say who sees which catalog.',
  alsoUnder: '/pcm',
  resources: [catalogs, catalogRules],
  actions: [validateCatalogRules],
})
