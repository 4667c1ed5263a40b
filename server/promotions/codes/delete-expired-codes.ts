import { Problem } from '../../kernel/errors.ts'
import { totalSql } from '../../kernel/query/places.ts'
import type { Work } from '../../kernel/work/context.ts'
import { codesMax } from './codes-max.ts'
import { kinds } from './promotion-kinds.ts'

/**
 * Deletes the codes of a standard promotion that has ended and is about to begin again: other promotions may have them
 * by now. Refuses a promotion with more codes than most can have, as the public contract does.
 */
export async function deleteExpiredCodes({ store }: Work, promotionId: string): Promise<void> {
  const { codes, promotions } = kinds.standard
  // Nobody adds codes meanwhile.
  await store.lock(promotions, promotionId)
  const [counted] = await store.run(totalSql(codes), promotionId)
  if (Number(counted?.[0]) > codesMax) {
    const detail = `A promotion that has ended and has more than ${codesMax} codes cannot begin again. Create another promotion.`
    throw new Problem('unprocessable', detail, { source: 'request' })
  }
  await store.removeAll(codes, (bind) => `r.promotion_id = ${bind(promotionId)}`)
}
