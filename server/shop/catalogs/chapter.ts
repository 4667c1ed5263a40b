import { module } from '../../kernel/module.ts'
import { catalogRules } from './catalog-rules.ts'
import { catalogs } from './catalogs.ts'
import { validateCatalogRules } from './validate-catalog-rules.ts'

export const catalogChapter = module({
  name: 'catalogs',
  about: 'Catalogs, and the rules that choose the catalog of a shopper.',
  alsoUnder: '/pcm',
  resources: [catalogs, catalogRules],
  actions: [validateCatalogRules],
})
