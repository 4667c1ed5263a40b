import { addFilters, fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { createCodes } from '../codes/create-codes.ts'
import { deleteCodes } from '../codes/delete-codes.ts'
import { deleteExpiredCodes } from '../codes/delete-expired-codes.ts'
import { allKinds, kinds } from '../codes/promotion-kinds.ts'
import { promotionsOfCode } from '../codes/promotions-of-code.ts'
import { promotionSearch } from '../codes/search-promotions.ts'
import { rulePromotions } from '../rules/rule-promotions.ts'
import { beforeRestart, promotions } from '../standard/promotions.ts'
import { anonymizeUsages } from '../uses/anonymize-usages.ts'
import { cancelCodeJob } from './cancel-code-job.ts'
import { createCodeJob } from './create-code-job.ts'
import { exportCodesOf } from './export-codes.ts'
import { forgetCodeJobs } from './forget-code-jobs.ts'
import { generateCodesOf } from './generate-codes.ts'
import { getCodeFile } from './get-code-file.ts'

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
