import { module } from '../../kernel/module.ts'

export const discounts = module({
  name: 'discounts',
  about: 'Works out what promotions take off a cart, and why others take nothing.',
})
