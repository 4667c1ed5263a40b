import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem, type ProblemExtras } from '../../kernel/errors.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Work } from '../../kernel/work/context.ts'
import { cartSettings } from '../../store/index.ts'
import type { CartRow } from './cart-fields.ts'

/** What a store lets shoppers do, or leaves to sellers: flags of its cart settings. */
const rights = {
  shoppers_add_custom_items: 'add custom items',
  shoppers_set_cart_attributes: 'set the custom attributes of a cart',
  shoppers_see_snapshots: 'use a cart with a snapshot date',
  shoppers_set_order_references: 'set the order number and the external reference of an order',
} as const

type CartRight = keyof typeof rights

/** Whether the caller is a seller, or a shopper whom the store lets do this. */
export async function hasRight(work: Work, right: CartRight): Promise<boolean> {
  return isSeller(work.who) || (await readSingleton(work, cartSettings))[right]
}

export const rightMissing = (right: CartRight, source?: string, meta?: ProblemExtras['meta']): Problem =>
  new Problem(
    'forbidden',
    `Only sellers of this store can ${rights[right]}. To let shoppers do so, set ${right} of the cart settings to true.`,
    { ...(source !== undefined && { source }), ...(meta && { meta }) },
  )

/** Refuses (403) a shopper what the store leaves to sellers. */
export async function mustHaveRight(work: Work, right: CartRight, source?: string): Promise<void> {
  if (!(await hasRight(work, right))) throw rightMissing(right, source)
}

/** Refuses (403) a cart that shows future prices to a shopper who may not see them. */
export async function mustSee(work: Work, { doc }: Pick<CartRow, 'doc'>): Promise<void> {
  if (doc.snapshot_date !== undefined) await mustHaveRight(work, 'shoppers_see_snapshots')
}

/** Refuses (403) a shopper who turns on rule promotions where the store has not. */
export async function mustLeaveRulePromotions(work: Work): Promise<void> {
  if (isSeller(work.who)) return
  const { discounts } = await readSingleton(work, cartSettings)
  if (discounts.use_rule_promotions) return
  const source = 'data.discount_settings.use_rule_promotions'
  throw new Problem(
    'forbidden',
    `${source} must be false or left out: the cart settings of the store do not turn rule promotions on, and only sellers can turn them on for a cart.`,
    { source },
  )
}
