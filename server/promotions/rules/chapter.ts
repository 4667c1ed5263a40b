import { module } from '../../kernel/module.ts'
import { rulePromotions } from './rule-promotions.ts'

export const rulePromotionChapter = module({
  name: 'rule-promotions',
  about: 'Rule promotions: rules that a cart meets, and actions that take something off.',
  resources: [rulePromotions],
})
