import { module } from '../../kernel/module.ts'

export const pricing = module({
  name: 'pricing',
  about: 'Works out what a product costs, why, and until when.',
})
