import { Problem } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import { totalSql } from '../../kernel/query/places.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type CodedPromotion, mostCodes } from './codes-max.ts'
import { foldedCode } from './folded-code.ts'
import type { PromotionKind } from './promotion-kinds.ts'

/** How many more codes the promotion can have. Its row is locked, so nobody adds codes meanwhile. */
export async function roomFor({ store }: Work, kind: PromotionKind, promotion: Row): Promise<number> {
  const [counted] = await store.run(totalSql(kind.codes), promotion.id)
  return mostCodes(promotion.doc as unknown as CodedPromotion) - Number(counted?.[0])
}

/** Finds a promotion and locks it, for codes to be added. Refuses one that applies without codes. */
export async function lockForCodes(work: Work, kind: PromotionKind, promotionId: string): Promise<Row> {
  const { promotions } = kind
  const { id } = await findByName(work, promotions, promotionId)
  await work.store.lock(promotions, id)
  const promotion = await findByName(work, promotions, id)
  if ((promotion.doc as unknown as CodedPromotion).automatic) {
    throw new Problem('unprocessable', kind.automaticDetail, { title: 'No codes allowed' })
  }
  return promotion
}

/** Refuses more codes than there is room for. */
export async function mustHaveRoom(
  work: Work,
  kind: PromotionKind,
  promotion: Row,
  count: number,
): Promise<void> {
  if (count <= (await roomFor(work, kind, promotion))) return
  const most = mostCodes(promotion.doc as unknown as CodedPromotion)
  throw new Problem('invalid_field', `Only ${most} promotion codes are allowed per promotion`, {
    title: 'Too many promotion codes',
    source: 'data.codes',
  })
}

/** Lets codes of promotions that have ended be used again, for other promotions. */
export async function releaseEnded(
  { store, clock }: Work,
  kind: PromotionKind,
  codes: readonly string[],
): Promise<void> {
  if (!kind.holdsCodes) return
  const {
    codes: { table },
    promotions,
  } = kind
  await store.run(
    `UPDATE ${table} c SET is_held = false FROM ${promotions.table} p
     WHERE c.store_id = $1 AND c.is_held AND p.store_id = $1 AND p.id = c.promotion_id AND p.ends_at <= $3
       AND c.code IN (SELECT ${foldedCode('v')} FROM unnest($2::text[]) v)`,
    codes,
    clock.now(),
  )
}
