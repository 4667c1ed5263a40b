import type { Resource } from '../../kernel/declare/resource.ts'
import { rulePromotions } from '../rules/rule-promotions.ts'
import { promotions } from '../standard/promotions.ts'

/** In what codes of standard promotions and of rule promotions differ. */
export interface KindOfPromotion {
  /** Begins the names of operations and nouns. */
  readonly name: 'promotion' | 'rule-promotion'
  readonly words: string
  /** Begins the names of the tables. */
  readonly tables: 'standard_promotion' | 'rule_promotion'
  readonly path: '/v2/promotions' | '/v2/rule-promotions'
  readonly promotions: Resource
  /** The member of a job that names its promotion. */
  readonly idField: 'promotion_id' | 'rule_promotion_id'
  /** For each order, which is the default, and for each thing discounted. */
  readonly consumeUnits: readonly [perOrder: string, perApplication: string]
  /** While a promotion has not ended, no other one can have its codes. */
  readonly holdsCodes: boolean
  /** Codes can be limited for each shopper, and to new shoppers. */
  readonly limitsShoppers: boolean
  /** Usages also show the customer under the name that the public contract has there. */
  readonly misspellsCustomer: boolean
  /** What the public contract says about codes of automatic promotions. */
  readonly automaticDetail: string
}

export const standard: KindOfPromotion = {
  name: 'promotion',
  words: 'standard promotion',
  tables: 'standard_promotion',
  path: '/v2/promotions',
  promotions,
  idField: 'promotion_id',
  consumeUnits: ['per_cart', 'per_item'],
  holdsCodes: true,
  limitsShoppers: false,
  misspellsCustomer: true,
  automaticDetail: 'Cannot add codes to an automatic promotion',
}

export const rule: KindOfPromotion = {
  name: 'rule-promotion',
  words: 'rule promotion',
  tables: 'rule_promotion',
  path: '/v2/rule-promotions',
  promotions: rulePromotions,
  idField: 'rule_promotion_id',
  consumeUnits: ['per_checkout', 'per_application'],
  holdsCodes: false,
  limitsShoppers: true,
  misspellsCustomer: false,
  automaticDetail: 'Cannot add codes to automatic promotion',
}
