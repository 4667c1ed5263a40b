export { promotionChapter, promotionCodeChapter, rulePromotionChapter } from './chapters.ts'
export { automaticCode, type EnteredCode, isAutomaticCode } from './discounts/codes.ts'
export type {
  CustomAttribute,
  DiscountCart,
  DiscountCause,
  DiscountLine,
  DiscountShopper,
} from './discounts/discount-cart.ts'
export { type Evaluation, evaluate } from './discounts/evaluate.ts'
export { type PromotionReason, reasonOf } from './discounts/reasons.ts'
export type { Share, ShippingShare } from './discounts/shares.ts'
export type { ItemSuggestion } from './discounts/suggestions.ts'
export type { PromotionVerdict } from './discounts/verdicts.ts'
export { loadRulePromotions, rulePromotionsStateSql } from './rules/rule-promotions.ts'
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
