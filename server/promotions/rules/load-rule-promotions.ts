import type { ShownValues } from '../../kernel/shape/fields.ts'
import { fromRule } from '../discounts/rules/from-rule.ts'
import type { RuleDocument } from '../discounts/rules/rule-document.ts'
import { remember } from '../standard/load-promotions.ts'
import { timestampOf } from '../standard/period.ts'
import type { RulePromotionFields } from './rule-promotions.ts'

/** Reads the state of the store's rule promotions: null if it never had one. */
export const rulePromotionsStateSql = '(SELECT s.state FROM rule_promotion_states s WHERE s.store_id = $1)'

type LoadedRulePromotion = RuleDocument & ShownValues<RulePromotionFields>

/** All rule promotions of the store, compiled. `state` is what `rulePromotionsStateSql` has read. */
export const loadRulePromotions = remember<LoadedRulePromotion>({
  table: 'rule_promotions',
  states: 'rule_promotion_states',
  compile(document, createdAt) {
    const { id, name, description = '', automatic, start, end } = document
    return {
      promotion: fromRule(document, createdAt),
      shown: {
        ...{ type: 'promotion', id, name, description, automatic },
        start: timestampOf(start),
        end: timestampOf(end),
        promotion_source: 'rule-promotion',
      },
    }
  },
})
