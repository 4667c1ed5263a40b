import { module } from '../kernel/module.ts'

export { automaticCode, type EnteredCode, isAutomaticCode } from './codes.ts'
export type {
  Cause,
  CustomAttribute,
  DiscountCart,
  DiscountLine,
  ShippingGroup,
  Shopper,
} from './discount-cart.ts'
export { type CodeUse, type Evaluation, evaluate } from './evaluate.ts'
export type { Promotion } from './promotion.ts'
export { type Reason, reasonOf } from './reasons.ts'
export { fromRule } from './rules/from-rule.ts'
export {
  type ActionArgs,
  type RuleAction,
  type RuleDocument,
  type RuleNode,
  type RuleSet,
  treeLimits,
} from './rules/rule-document.ts'
export type { Share, ShippingShare } from './shares.ts'
export { fromStandard } from './standard/from-standard.ts'
export type { StandardDocument, StandardSchemas, StandardType } from './standard/standard-document.ts'
export type { Suggestion } from './suggestions.ts'
export type { Verdict } from './verdicts.ts'

export const discounts = module({
  name: 'discounts',
  about: 'Works out what promotions take off a cart, and why others take nothing.',
})
