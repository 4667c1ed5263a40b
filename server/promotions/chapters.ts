import { addFilters, fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { createCodes } from './codes/create-codes.ts'
import { deleteCodes, deleteExpiredCodes } from './codes/delete-codes.ts'
import { allKinds, kinds } from './codes/promotion-kinds.ts'
import { promotionSearch, promotionsOfCode } from './codes/search-promotions.ts'
import { exportCodesOf, getCodeFile } from './generation/export-codes.ts'
import { generateCodesOf } from './generation/generate-codes.ts'
import { cancelCodeJob, createCodeJob, forgetCodeJobs } from './generation/promotion-jobs.ts'
import { rulePromotions } from './rules/rule-promotions.ts'
import { promotionVersions } from './standard/promotion-versions.ts'
import { beforeRestart, promotions } from './standard/promotions.ts'
import { anonymizeUsages } from './uses/forget-users.ts'

export const promotionChapter = module({
  name: 'promotions',
  about: 'Standard promotions: discounts of eight types, automatic or by code.',
  resources: [promotions, promotionVersions],
})

export const rulePromotionChapter = module({
  name: 'rule-promotions',
  about: 'Rule promotions: rules that a cart meets, and actions that take something off.',
  resources: [rulePromotions],
})

export const promotionCodeChapter = module({
  name: 'promotion-codes',
  about:
    'Codes that make promotions apply, the jobs that generate and export them, and their usages in orders.',
  resources: allKinds.flatMap(({ codes, jobs, usages, usagesOfCode }) => [codes, jobs, usages, usagesOfCode]),
  actions: allKinds.flatMap((kind) => [
    createCodes(kind),
    deleteCodes(kind),
    createCodeJob(kind),
    cancelCodeJob(kind),
    getCodeFile(kind),
    anonymizeUsages(kind),
  ]),
  jobs: allKinds.flatMap((kind) => [generateCodesOf(kind), exportCodesOf(kind)]),
  chores: [forgetCodeJobs],
  adds: [
    addFilters(promotions, { code: promotionsOfCode(kinds.standard), ...promotionSearch }),
    addFilters(rulePromotions, { code: promotionsOfCode(kinds.rule) }),
    fill(beforeRestart, deleteExpiredCodes),
  ],
})
