import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { resolveRule, traceOf, type Verdict } from './resolve-rule.ts'
import { type Rules, rulesFor } from './rules-of-store.ts'
import { type Headers, type Shopper, shopperOf } from './shopper-context.ts'

/** The catalog that a shopper sees, and what chose it. */
export interface ChosenCatalog {
  readonly catalogId: string
  /** Left out where no rule chose it: it is then the oldest that is published. */
  readonly rule?: { readonly id: string; readonly name: string }
  /** The price books that the rule names, the first of all first: for catalogs with enable_price_segmentation. */
  readonly pricebookIds?: readonly string[]
  readonly shopper: Shopper
  /** For each rule of the store, why it was chosen or not. Worked out when it is asked for. */
  trace(): readonly Verdict[]
}

/** The catalog for whoever sends a request with these headers; a Problem (404) where there is none. */
export async function catalogFor(ctx: Ctx, headers: Headers): Promise<ChosenCatalog> {
  const shopper = await shopperOf(ctx, headers)
  return chosenCatalog(shopper, await rulesFor(ctx, accountsOf(shopper)))
}

/** The accounts that rules are asked about. */
export const accountsOf = ({ accountId }: Shopper): readonly string[] => one(accountId)

/** The catalog that these rules choose; a Problem (404) where there is none. */
export function chosenCatalog(
  shopper: Shopper,
  { rules, oldestPublished, accountTags }: Rules,
): ChosenCatalog {
  const { accountId, customerId, channel, at } = shopper
  const context = {
    account_ids: one(accountId),
    account_tag_ids: accountTags,
    customer_ids: one(customerId),
    channels: one(channel),
    tags: shopper.tags,
  }
  const rule = resolveRule(context, rules.about(context), at.getTime())
  const trace = () => traceOf(context, rules.all, at.getTime())
  if (rule) {
    const { id, name, catalogId, pricebookIds } = rule
    return { catalogId, rule: { id, name }, ...(pricebookIds && { pricebookIds }), shopper, trace }
  }
  if (oldestPublished) return { catalogId: oldestPublished, shopper, trace }
  throw new Problem('not_found', 'No catalog is published for this shopper.')
}

const one = (value: string | undefined) => (value === undefined ? [] : [value])
