import { module } from '../kernel/module.ts'

export { type EnteredCode, refuseCode } from './codes.ts'
export type {
  Cause,
  CustomAttribute,
  DiscountCart,
  DiscountLine,
  ShippingGroup,
  Shopper,
} from './discount-cart.ts'
export type { Share, ShippingShare } from './shares.ts'
export type { Applied, MissingGift, Refusal, UnmetNode, Verdict } from './verdicts.ts'

export const discounts = module({
  name: 'discounts',
  about: 'Works out what promotions take off a cart, and why others take nothing.',
})
