import { module } from '../kernel/module.ts'

export type { Cause, DiscountCart, DiscountLine, ShippingGroup } from './discount-cart.ts'
export type { Share, ShippingShare } from './shares.ts'

export const discounts = module({
  name: 'discounts',
  about: 'Works out what promotions and custom discounts take off a cart, and why others take nothing.',
})
