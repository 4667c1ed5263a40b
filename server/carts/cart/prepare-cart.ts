import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../kernel/errors.ts'
import { readSingleton } from '../../kernel/request/singletons.ts'
import type { Values } from '../../kernel/shape/fields.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { cartSettings } from '../../store/index.ts'
import { type Cart, type CartFields, valuesOf } from '../contents/cart-fields.ts'
import { emptyCart } from '../contents/contents.ts'
import { checkTypes } from '../contents/custom-attributes.ts'
import { mustFitShopper } from '../contents/must-fit.ts'
import { ownerIn } from '../contents/owners.ts'
import type { PricedContents } from '../contents/priced-cart.ts'
import { mustHaveRight, mustLeaveRulePromotions } from '../contents/shopper-rights.ts'
import { priceCart } from '../pricing/price-cart.ts'

/** A new cart with the store's cart settings. Later changes of the settings do not affect it. */
export async function withSettings(work: Work, values: Values<CartFields>): Promise<Values<CartFields>> {
  const settings = await readSingleton(work, cartSettings)
  const { custom_discounts_enabled, use_rule_promotions } = settings.discounts
  const chosen = values.discount_settings
  // A cart that chooses one kind of discounts has not chosen the other.
  const fallback = chosen ? {} : { custom_discounts_enabled, use_rule_promotions }
  return {
    ...values,
    discount_settings: {
      custom_discounts_enabled: false,
      use_rule_promotions: false,
      ...fallback,
      ...chosen,
    },
    inventory_settings: {
      defer_inventory_check: settings.inventories.defer_inventory_check ?? false,
      ...values.inventory_settings,
    },
    expiry_days: settings.cart_expiry_days,
    // To the hour: a cart that nobody writes keeps its entity tag.
    read_at: `${work.clock.now().toISOString().slice(0, 13)}:00:00.000Z`,
  }
}

/** Completes a cart that is about to be written, or refuses it. */
export async function prepareCart(work: Work, draft: CartDraft): Promise<void> {
  const { before } = draft
  await mustBeLet(work, draft)
  if (!before) {
    // A cart that reads as an empty one before its first write has the settings already.
    const own = draft.values.expiry_days === undefined ? await withSettings(work, draft.values) : draft.values
    const { customers, accounts } = ownerIn(work)
    draft.values = { ...own, customers: own.customers ?? customers, accounts: own.accounts ?? accounts }
    draft.values.read_at = undefined
    draft.values.id ??= draft.id
  }
  const { values } = draft
  if (values.payment_intent_id === '') values.payment_intent_id = undefined
  check(work, values, before?.doc.snapshot_date)
  mustKeepIntent(draft)
  draft.inside ??= await priceAnew(work, values, before)
  mustFitShopper(work, { ...values, ...draft.inside }, before && valuesOf(before))
}

type CartDraft = Draft<CartFields, PricedContents>

async function priceAnew(
  work: Work,
  values: CartDraft['values'],
  before: Cart | undefined,
): Promise<PricedContents> {
  const { contents, priced } = await priceCart(work, { ...values, ...(before?.inside ?? emptyCart) })
  return { contents, priced }
}

/** Refuses a shopper what the store leaves to sellers. */
async function mustBeLet(work: Work, { values, before }: CartDraft): Promise<void> {
  const { custom_attributes: attributes, discount_settings: discounts, snapshot_date: snapshot } = values
  if (!isDeepStrictEqual(attributes, before?.doc.custom_attributes)) {
    await mustHaveRight(work, 'shoppers_set_cart_attributes', 'data.custom_attributes')
  }
  if (snapshot !== undefined) {
    const isNew = snapshot !== before?.doc.snapshot_date
    await mustHaveRight(work, 'shoppers_see_snapshots', isNew ? 'data.snapshot_date' : undefined)
  }
  if (discounts?.use_rule_promotions && !before?.doc.discount_settings?.use_rule_promotions) {
    await mustLeaveRulePromotions(work)
  }
}

function check(work: Work, values: CartDraft['values'], snapshotBefore: string | undefined): void {
  const { discount_settings: discounts, contact, snapshot_date: snapshot } = values
  const refuse = (detail: string, source: string, extras: { readonly title?: string } = {}) => {
    throw new Problem('unprocessable', detail, { source, ...extras })
  }
  if (discounts?.custom_discounts_enabled && discounts.use_rule_promotions) {
    refuse(
      'A cart takes custom discounts or rule promotions, not both: set custom_discounts_enabled or use_rule_promotions to false.',
      'data.discount_settings',
    )
  }
  if (contact?.email && (values.customers?.length || values.accounts?.length)) {
    refuse(
      'data.contact must be left out, because the cart is associated with a customer or an account. To set a contact, remove the association first.',
      'data.contact',
    )
  }
  checkSnapshot(work, snapshot, snapshotBefore)
  checkTypes(values.custom_attributes, 'data.custom_attributes')
}

/** Refuses another payment intent than that of the cart: its payment sets it. */
function mustKeepIntent({ before, values, changes = {} }: CartDraft): void {
  const { payment_intent_id: intent } = values
  if (intent === undefined || intent === before?.doc.payment_intent_id || changes.links_payment) return
  throw new Problem(
    'unprocessable',
    'data.payment_intent_id must be the empty text, which removes it, or be left out: only a payment of the cart sets it.',
    { source: 'data.payment_intent_id' },
  )
}

function checkSnapshot(work: Work, snapshot: string | undefined, before: string | undefined): void {
  const source = 'data.snapshot_date'
  if (snapshot === before) return
  if (snapshot === undefined) {
    throw new Problem(
      'bad_request',
      'data.snapshot_date cannot be removed: send another date, or leave it out.',
      { source },
    )
  }
  const now = work.clock.now()
  if (Date.parse(snapshot) > now.getTime()) return
  const detail = `data.snapshot_date must be in the future, later than ${now.toISOString()}, not ${snapshot}.`
  throw new Problem('bad_request', detail, { source, title: 'Invalid Snapshot Date' })
}
