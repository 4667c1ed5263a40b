import { Problem } from '../kernel/errors.ts'
import { totalSql } from '../kernel/query/places.ts'
import type { Work } from '../kernel/work/context.ts'
import { kinds } from './promotion-kinds.ts'
import { codesMax } from './room-for-codes.ts'

/**
 * Deletes the codes of an expired standard promotion that is about to begin again: others may have taken them.
 * Refuses a promotion with more codes than most can have, as the public contract does.
 */
export async function deleteExpiredCodes({ store }: Work, promotionId: string): Promise<void> {
  const { codes } = kinds.standard
  const [counted] = await store.run(totalSql(codes), promotionId)
  if (Number(counted?.[0]) > codesMax) {
    const detail = `An expired promotion with more than ${codesMax} codes cannot begin again; create another promotion.`
    throw new Problem('unprocessable', detail, { source: 'request' })
  }
  await store.removeAll(codes, (bind) => `r.promotion_id = ${bind(promotionId)}`)
}
