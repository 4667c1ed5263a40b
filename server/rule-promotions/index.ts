import { type Module, module } from '../kernel/module.ts'
import type { FilterRule } from '../kernel/shape/model.ts'
import { rulePromotions } from './rule-promotions.ts'

export { loadRulePromotions, rulePromotionsStateSql } from './load-rule-promotions.ts'
export { rulePromotions }

/** `byCode`, of a module below, finds the promotions that have a code. */
export const rulePromotionChapter = (byCode: FilterRule): Module =>
  module({
    name: 'rule-promotions',
    about: 'Rule promotions: rules that a cart meets, and actions that take something off.',
    resources: [{ ...rulePromotions, filter: { ...rulePromotions.filter, code: byCode } }],
  })
