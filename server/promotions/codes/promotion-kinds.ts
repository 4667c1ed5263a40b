import type { Resource } from '../../kernel/declare/resource.ts'
import { type JobFields, jobs } from './code-jobs.ts'
import { codesOf } from './codes.ts'
import { type KindOfPromotion, rule, standard } from './kind-of-promotion.ts'
import { usagesOfCode, usagesOfPromotion } from './usages.ts'

/** A kind of promotion, with its codes, jobs and usages. */
export interface PromotionKind extends KindOfPromotion {
  readonly codes: Resource
  readonly jobs: Resource<JobFields>
  readonly usages: Resource
  readonly usagesOfCode: Resource
}

function withTables(kind: KindOfPromotion, own: Resource<JobFields>): PromotionKind {
  const usages = usagesOfPromotion(kind)
  return { ...kind, codes: codesOf(kind), jobs: own, usages, usagesOfCode: usagesOfCode(kind, usages) }
}

export const kinds = {
  standard: withTables(standard, jobs.standard),
  rule: withTables(rule, jobs.rule),
} as const

/** Standard promotions come first, also where rows are locked. */
export const allKinds: readonly PromotionKind[] = [kinds.standard, kinds.rule]
