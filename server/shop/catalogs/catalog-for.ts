import type { RequestHeaders } from '../../kernel/http/prefer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import {
  type RuleVerdict,
  resolveRule,
  type ShopperContext,
  traceOf,
  waitingVerdict,
} from './resolve-rule.ts'
import { type CachedRule, type Rules, rulesFor, type StoreRules } from './rules-of-store.ts'
import { type CatalogShopper, shopperOf } from './shopper-context.ts'

/** The catalog that a shopper sees, and the rule that chose it. */
export interface ChosenCatalog {
  readonly catalogId: string
  /** Absent where no rule matches. The catalog is then the oldest published one. */
  readonly rule?: { readonly id: string; readonly name: string }
  /** The price books of the rule, strongest first, for catalogs with enable_price_segmentation. */
  readonly pricebookIds?: readonly string[]
  readonly shopper: CatalogShopper
  /** For each rule of the store, why it was chosen or not. Computed on demand. */
  trace(): readonly RuleVerdict[]
  /**
   * The rule that will apply to the shopper once its price books are in the release of its catalog, if there is one.
   */
  waiting(): WaitingRule | undefined
}

export interface WaitingRule {
  readonly id: string
  readonly name: string
  readonly waits_for_pricebook_ids: readonly string[]
}

/** The catalog for the sender of these headers; undefined where there is none. */
export async function catalogFor(ctx: Ctx, headers: RequestHeaders): Promise<ChosenCatalog | undefined> {
  const shopper = await shopperOf(ctx, headers)
  return chooseCatalog(shopper, await rulesFor(ctx, accountsOf(shopper)))
}

export const accountsOf = ({ accountId }: CatalogShopper): readonly string[] => one(accountId)

/** Chooses the catalog by these rules; undefined where no rule matches and nothing is published. */
export function chooseCatalog(shopper: CatalogShopper, from: Rules): ChosenCatalog | undefined {
  const { rules, oldestPublished } = from
  const { at } = shopper
  const context = contextOf(shopper, from)
  const atMs = at.getTime()
  const rule = resolveRule(context, rules.inEffect.about(context), atMs)
  const common = {
    shopper,
    trace: () =>
      withWaiting(rules, traceOf(context, rules.inEffect.all, atMs), (one, books) =>
        waitingVerdict(one, context, atMs, books),
      ),
    waiting: () => {
      const next = rules.pending.size ? resolveRule(context, rules.written, atMs) : undefined
      const books = next && rules.pending.get(next.id)
      return books && { id: next.id, name: next.name, waits_for_pricebook_ids: books }
    },
  }
  if (rule) {
    const { id, name, catalogId, pricebookIds } = rule
    return { catalogId, rule: { id, name }, ...(pricebookIds && { pricebookIds }), ...common }
  }
  return oldestPublished === undefined ? undefined : { catalogId: oldestPublished, ...common }
}

/**
 * The next instant at which the schedule of a rule for this shopper begins or ends. Until then the rules choose the
 * same catalog. Undefined where there is none.
 */
export function choiceHoldsUntil(shopper: CatalogShopper, from: Rules): Date | undefined {
  const rules = [...from.rules.inEffect.about(contextOf(shopper, from))]
  const bounds = rules.flatMap(({ spans = [] }) => spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))
  const next = bounds.reduce(
    (first, bound) => (bound > shopper.at.getTime() ? Math.min(first, bound) : first),
    Number.POSITIVE_INFINITY,
  )
  return Number.isFinite(next) ? new Date(next) : undefined
}

const contextOf = (
  { accountId, customerId, channel, tags }: CatalogShopper,
  { accountTags }: Pick<Rules, 'accountTags'>,
): ShopperContext => ({
  account_ids: one(accountId),
  account_tag_ids: accountTags,
  customer_ids: one(customerId),
  channels: one(channel),
  tags,
})

const one = (value: string | undefined) => (value === undefined ? [] : [value])

/** Adds the price books that pending rules wait for. */
function withWaiting(
  { pending, written }: StoreRules,
  verdicts: readonly RuleVerdict[],
  verdictOf: (rule: CachedRule, pricebookIds: readonly string[]) => RuleVerdict,
): readonly RuleVerdict[] {
  if (!pending.size) return verdicts
  const inEffectIds = new Set(verdicts.map(({ rule_id }) => rule_id))
  const traced = verdicts.map((verdict) => {
    const books = pending.get(verdict.rule_id)
    return books ? { ...verdict, waits_for_pricebook_ids: books } : verdict
  })
  const others = written.filter(({ id }) => !inEffectIds.has(id))
  return [...traced, ...others.map((rule) => verdictOf(rule, pending.get(rule.id) ?? []))]
}
