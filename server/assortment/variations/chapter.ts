import { module } from '../../kernel/module.ts'
import { buildChildProducts } from './build-child-products.ts'
import { buildChildren } from './build-children.ts'
import { modifiers } from './modifiers.ts'
import { options } from './options.ts'
import { variations } from './variations.ts'
import { variationsOfProduct } from './variations-of-product.ts'

export const variationChapter = module({
  name: 'variations',
  about: 'Variations, their options and modifiers, and how child products are built.',
  resources: [variations, options, modifiers],
  relationships: [variationsOfProduct],
  actions: [buildChildProducts],
  jobs: [buildChildren],
})
