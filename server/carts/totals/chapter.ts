import { module } from '../../kernel/module.ts'

export const totals = module({
  name: 'totals',
  about: 'Adds up what the lines of a cart cost, with discounts, taxes and shipping.',
})
