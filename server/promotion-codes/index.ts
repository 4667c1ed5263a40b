import { addFilters, fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { beforeRestart, promotions } from '../promotions/index.ts'
import { rulePromotions } from '../rule-promotions/index.ts'
import { anonymizeUsages } from './anonymize-usages.ts'
import { cancelCodeJob } from './cancel-code-job.ts'
import { createCodeJob } from './create-code-job.ts'
import { createCodes } from './create-codes.ts'
import { deleteCodes } from './delete-codes.ts'
import { deleteExpiredCodes } from './delete-expired-codes.ts'
import { exportCodesOf } from './export-codes.ts'
import { forgetCodeJobs } from './forget-code-jobs.ts'
import { generateCodesOf } from './generate-codes.ts'
import { getCodeFile } from './get-code-file.ts'
import { allKinds, kinds } from './promotion-kinds.ts'
import { promotionsOfCode } from './promotions-of-code.ts'
import { promotionSearch } from './search-promotions.ts'

export { codesStateSql, findEnteredCodes } from './find-entered-codes.ts'
export { forgetUsersOfOrders } from './forget-users.ts'
export {
  forgetPayingGuests,
  forgetPayingShoppers,
  isNewShopper,
  recordPayingShopper,
} from './paying-shoppers.ts'
export { spendCodes } from './spend-codes.ts'

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
