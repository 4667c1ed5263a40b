import { newId } from '../../kernel/ids.ts'
import { columns, flag, number, optional } from '../../kernel/storage/columns.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { foldedCode } from '../codes/folded-code.ts'
import { allKinds, type PromotionKind } from '../codes/promotion-kinds.ts'
import type { DiscountShopper } from '../discounts/discount-cart.ts'
import type { CodeUse } from '../discounts/evaluate.ts'
import { shopperKey } from './shoppers.ts'

/** The order that uses codes. */
interface CodeOrder {
  readonly id: string
  readonly shopper: DiscountShopper
  readonly at: Date
}

/** A code of which an order takes uses. */
interface Spend {
  readonly use: CodeUse
  readonly codeId: string
  /** As it is stored. */
  readonly code: string
  readonly isLimited: boolean
  readonly maxPerShopper: number | undefined
}

/** Rolls the spending of codes back, because some could not be spent. */
class UnspentCodes extends Error {
  readonly uses: readonly CodeUse[]

  constructor(uses: readonly CodeUse[]) {
    super('codes were used up or deleted meanwhile')
    this.uses = uses
  }
}

/**
 * Spends codes in the transaction of their order, all or none. Returns those that have too few uses left, or were
 * deleted: nothing was spent then, and the caller prices the order again with `findEnteredCodes`. Call it as late as
 * possible, because orders with the same limited code wait for each other from here on.
 */
export async function spendCodes(
  { store }: Work,
  uses: readonly CodeUse[],
  order: CodeOrder,
): Promise<readonly CodeUse[]> {
  if (!store.inTransaction) throw new Error('codes are spent in the transaction of their order')
  if (!uses.length) return []
  try {
    await store.attempt(async () => {
      const unspent = await spendAll(store, uses, order)
      if (unspent.length) throw new UnspentCodes(unspent)
    })
    return []
  } catch (error) {
    if (error instanceof UnspentCodes) return error.uses
    throw error
  }
}

async function spendAll(
  store: Store,
  uses: readonly CodeUse[],
  order: CodeOrder,
): Promise<readonly CodeUse[]> {
  const unknown = new Set(uses)
  const unspent: CodeUse[] = []
  for (const kind of allKinds) {
    const spends = await findSpends(store, kind, uses)
    for (const { use } of spends) unknown.delete(use)
    const taken = await takeUses(store, kind, spends)
    const written = await writeUsages(store, kind, taken, order)
    unspent.push(...spends.filter((spend) => !written.includes(spend)).map(({ use }) => use))
  }
  return [...unknown, ...unspent]
}

/** Finds codes, and locks them against deletion. */
const spendColumns = columns({
  place: ['use.place - 1', number],
  codeId: 'c.id',
  code: "c.doc->>'code'",
  isLimited: ['c.max_uses IS NOT NULL', flag],
  maxPerShopper: ["c.doc#>>'{max_uses_per_shopper,max_uses}'", optional(number)],
})

async function findSpends(
  store: Store,
  { promotions, codes: { table } }: PromotionKind,
  uses: readonly CodeUse[],
): Promise<readonly Spend[]> {
  // First, as the deletion of a promotion locks the promotion before its codes.
  await store.lockShared(promotions, ...uses.map(({ promotionId }) => promotionId))
  const rows = await store.readAndLock(
    `SELECT ${spendColumns.sql}
     FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY use (promotion_id, code, place)
     JOIN ${table} c ON c.store_id = $1 AND c.promotion_id = use.promotion_id AND c.code = ${foldedCode('use.code')}
     ORDER BY c.id`,
    uses.map(({ promotionId }) => promotionId),
    uses.map(({ code }) => code),
  )
  return rows.map(spendColumns.read).map(({ place, ...spend }) => ({ ...spend, use: uses[place] as CodeUse }))
}

/** Counts the uses of limited codes; others are not touched. Returns the codes that had enough left. */
async function takeUses(
  store: Store,
  { codes }: PromotionKind,
  spends: readonly Spend[],
): Promise<readonly Spend[]> {
  const limited = spends.filter(({ isLimited }) => isLimited)
  if (!limited.length) return spends
  const ids = limited.map(({ codeId }) => codeId)
  // An update of several rows does not promise the order of its locks.
  if (limited.length > 1) await store.lock(codes, ...ids)
  else store.enterLocks(codes, ids)
  const rows = await store.run(
    `UPDATE ${codes.table} c SET used = c.used + spend.uses
     FROM unnest($2::uuid[], $3::bigint[]) spend (id, uses)
     WHERE c.store_id = $1 AND c.id = spend.id AND c.used + spend.uses <= c.max_uses RETURNING c.id`,
    ids,
    limited.map(({ use }) => use.uses),
  )
  const taken = new Set(rows.map(([id]) => id))
  return spends.filter(({ isLimited, codeId }) => !isLimited || taken.has(codeId))
}

/** Writes the usages. Returns the codes without those that the shopper has used as often as they may. */
async function writeUsages(
  store: Store,
  kind: PromotionKind,
  spends: readonly Spend[],
  order: CodeOrder,
): Promise<readonly Spend[]> {
  const perShopper = spends.filter(({ maxPerShopper }) => maxPerShopper !== undefined)
  const others = spends.filter((spend) => !perShopper.includes(spend))
  if (others.length) await insertUsages(store, kind, others, order)
  const taken: Spend[] = []
  for (const spend of perShopper) if (await takeSlot(store, kind, spend, order)) taken.push(spend)
  return [...others, ...taken]
}

/** Takes one of the uses that the shopper has. An order that loses a slot to another one tries the next. */
async function takeSlot(store: Store, kind: PromotionKind, spend: Spend, order: CodeOrder): Promise<boolean> {
  const shopper = shopperKey(order.shopper)
  if (shopper === undefined) return false
  for (let before = 0; ; ) {
    const [row] = await store.run(
      `SELECT coalesce(max(slot), 0) + 1 FROM ${kind.usages.table}
       WHERE store_id = $1 AND code_id = $2 AND shopper = $3 AND slot IS NOT NULL`,
      spend.codeId,
      shopper,
    )
    const slot = Number(row?.[0])
    if (slot > (spend.maxPerShopper ?? 0)) return false
    if (await insertUsages(store, kind, [spend], order, { shopper, slot })) return true
    if (slot === before) throw new Error(`order ${order.id} has spent the code ${spend.codeId} before`)
    before = slot
  }
}

/** How many usages it has inserted: a slot may be taken. */
async function insertUsages(
  store: Store,
  { usages, misspellsCustomer }: PromotionKind,
  spends: readonly Spend[],
  { id: orderId, shopper: who, at }: CodeOrder,
  { shopper = null, slot = null }: { readonly shopper?: string | null; readonly slot?: number | null } = {},
): Promise<number> {
  const customer = who.customerId ?? null
  const documents = spends.map(({ codeId, code, use }) =>
    JSON.stringify({
      ...{ order_id: orderId, code_id: codeId, code, times_used: use.uses },
      ...{ used_on: at.toISOString(), customer_id: customer },
      ...(misspellsCustomer && { cusomter_id: customer }),
      ...{ account_id: who.accountId ?? null, customer_email: who.email ?? null, anonymized: false },
    }),
  )
  const ids = await store.insertFrom(usages, {
    columns: ['id', 'promotion_id', 'doc', 'hidden', 'shopper', 'slot'],
    rows: (bind) =>
      `SELECT input.id, input.promotion_id, input.doc, ${bind(JSON.stringify({ used_on_ms: at.getTime() }))}::json,
         ${bind(shopper)}::text, ${bind(slot)}::integer
       FROM unnest(${bind(spends.map(() => newId()))}::uuid[],
         ${bind(spends.map(({ use }) => use.promotionId))}::uuid[], ${bind(documents)}::json[])
         input (id, promotion_id, doc)`,
  })
  return ids.length
}
