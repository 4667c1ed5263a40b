import type { Resource } from '../kernel/declare/resource.ts'
import { type JobFields, jobs } from './code-jobs.ts'
import { codesOf } from './codes.ts'
import { type KindOfPromotion, rule, standard } from './kind-of-promotion.ts'
import { usagesOfCode, usagesOfPromotion } from './usages.ts'

/** A kind of promotion, with its codes, jobs and usages. */
export interface Kind extends KindOfPromotion {
  readonly codes: Resource
  readonly jobs: Resource<JobFields>
  readonly usages: Resource
  readonly usagesOfCode: Resource
}

const withTables = (kind: KindOfPromotion, own: Resource<JobFields>): Kind => ({
  ...kind,
  codes: codesOf(kind),
  jobs: own,
  usages: usagesOfPromotion(kind),
  usagesOfCode: usagesOfCode(kind),
})

export const kinds = {
  standard: withTables(standard, jobs.standard),
  rule: withTables(rule, jobs.rule),
} as const

/** Standard promotions come first, also where rows are locked. */
export const allKinds: readonly Kind[] = [kinds.standard, kinds.rule]
