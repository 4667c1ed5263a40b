export { promotionChapter, promotionCodeChapter, rulePromotionChapter } from './chapters.ts'
export { automaticCode, type EnteredCode, isAutomaticCode } from './discounts/codes.ts'
export type {
  Cause,
  CustomAttribute,
  DiscountCart,
  DiscountLine,
  Shopper,
} from './discounts/discount-cart.ts'
export { type Evaluation, evaluate } from './discounts/evaluate.ts'
export { type Reason, reasonOf } from './discounts/reasons.ts'
export type { Share, ShippingShare } from './discounts/shares.ts'
export type { Suggestion } from './discounts/suggestions.ts'
export type { Verdict } from './discounts/verdicts.ts'
export { loadRulePromotions, rulePromotionsStateSql } from './rules/load-rule-promotions.ts'
export { loadPromotions, promotionsStateSql, type StoredPromotion } from './standard/load-promotions.ts'
export { codesStateSql, findEnteredCodes } from './uses/find-entered-codes.ts'
export { forgetUsersOfOrders } from './uses/forget-users.ts'
export {
  forgetPayingGuests,
  forgetPayingShoppers,
  isNewShopper,
  recordPayingShopper,
} from './uses/paying-shoppers.ts'
export { spendCodes } from './uses/spend-codes.ts'
