import { isIn, type ScheduleSpan } from './schedules.ts'

/** Chooses the rule of a shopper. It does no I/O. See docs/decisions/0024-catalog-rules.md. */

/** The criteria of rules. */
export const criteria = ['account_ids', 'account_tag_ids', 'customer_ids', 'channels', 'tags'] as const

export type Criterion = (typeof criteria)[number]

/** The values of a shopper, by criterion. */
export type ShopperContext = Readonly<Record<Criterion, readonly string[]>>

/** The parts of a rule that choose it. Absent criteria are not checked. */
export interface ResolvedRule extends Readonly<Partial<Record<Criterion, ReadonlySet<string> | undefined>>> {
  readonly id: string
  readonly name: string
  /** In UTC, with milliseconds. */
  readonly createdAt: string
  readonly spans?: readonly ScheduleSpan[] | undefined
}

/** Why a rule was chosen, or not: exactly one of these. */
export type RuleReason =
  | 'most_criteria_match'
  | 'default'
  | 'not_in_force'
  | 'no_criterion_matches'
  | 'fewer_criteria_match'
  | 'created_later'
  | 'another_rule_matches'

/** The outcome for one rule. */
export interface RuleVerdict {
  readonly rule_id: string
  readonly name: string
  readonly chosen: boolean
  readonly reason: RuleReason | 'waits_for_pricebooks'
  /** The rule that was chosen instead because it is older. */
  readonly conflicts_with?: { readonly id: string; readonly name: string }
  /** Where the rule is not in effect as it is written: the price books that its release lacks. */
  readonly waits_for_pricebook_ids?: readonly string[]
  readonly matched: readonly (Criterion | 'schedules')[]
  readonly unmatched: readonly (Criterion | 'schedules')[]
}

/** Chooses the rule with the most matching criteria, or else a rule without criteria. Of equals, the oldest. */
export function resolveRule<R extends ResolvedRule>(
  context: ShopperContext,
  rules: Iterable<R>,
  atMs: number,
): R | undefined {
  let chosen: R | undefined
  let most = 0
  for (const rule of rules) {
    const score = scoreOf(rule, context, atMs)
    if (score === undefined || score < most) continue
    if (chosen && score === most && !isOlder(rule, chosen)) continue
    chosen = rule
    most = score
  }
  return chosen
}

/** For each rule, why it was chosen or not. */
export function traceOf(
  context: ShopperContext,
  rules: readonly ResolvedRule[],
  atMs: number,
): readonly (RuleVerdict & { readonly reason: RuleReason })[] {
  const chosen = resolveRule(context, rules, atMs)
  return rules.map((rule) => ({
    rule_id: rule.id,
    name: rule.name,
    chosen: rule === chosen,
    ...reasonAndRival(rule, chosen, context, atMs),
    ...compared(rule, context, atMs),
  }))
}

function reasonAndRival(
  rule: ResolvedRule,
  chosen: ResolvedRule | undefined,
  context: ShopperContext,
  atMs: number,
) {
  const reason = reasonFor(rule, chosen, context, atMs)
  if (reason !== 'created_later' || !chosen) return { reason }
  return { reason, conflicts_with: { id: chosen.id, name: chosen.name } }
}

/** The verdict of a rule that does not apply yet. */
export const waitingVerdict = (
  rule: ResolvedRule,
  context: ShopperContext,
  atMs: number,
  pricebookIds: readonly string[],
): RuleVerdict => ({
  rule_id: rule.id,
  name: rule.name,
  chosen: false,
  reason: 'waits_for_pricebooks',
  waits_for_pricebook_ids: pricebookIds,
  ...compared(rule, context, atMs),
})

/**
 * Counts the matching criteria of a rule, including its schedule. Undefined where the rule cannot be chosen: it is
 * not in force, or it has other criteria and none of them matches.
 */
function scoreOf(rule: ResolvedRule, context: ShopperContext, atMs: number): number | undefined {
  let hasCriteria = false
  let matching = 0
  for (const criterion of criteria) {
    const accepted = rule[criterion]
    if (!accepted) continue
    hasCriteria = true
    if (hasOne(accepted, context[criterion])) matching += 1
  }
  if ((hasCriteria && !matching) || !isInForce(rule, atMs)) return undefined
  return rule.spans ? matching + 1 : matching
}

function hasOne(accepted: ReadonlySet<string>, values: readonly string[]): boolean {
  for (const value of values) if (accepted.has(value)) return true
  return false
}

/** Whether a rule is in force at an instant. */
export const isInForce = ({ spans }: Pick<ResolvedRule, 'spans'>, atMs: number): boolean =>
  !spans || spans.some((span) => isIn(span, atMs))

const isOlder = (one: ResolvedRule, other: ResolvedRule): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt

function compared(rule: ResolvedRule, context: ShopperContext, atMs: number) {
  const ofRule = [
    ...criteria.filter((criterion) => rule[criterion]),
    ...(rule.spans ? (['schedules'] as const) : []),
  ]
  const matches = (criterion: (typeof ofRule)[number]) =>
    criterion === 'schedules'
      ? isInForce(rule, atMs)
      : context[criterion].some((value) => rule[criterion]?.has(value))
  return { matched: ofRule.filter(matches), unmatched: ofRule.filter((one) => !matches(one)) }
}

function reasonFor(
  rule: ResolvedRule,
  chosen: ResolvedRule | undefined,
  context: ShopperContext,
  atMs: number,
): RuleReason {
  const score = scoreOf(rule, context, atMs)
  if (rule === chosen) return score ? 'most_criteria_match' : 'default'
  if (!isInForce(rule, atMs)) return 'not_in_force'
  if (score === undefined || !chosen) return 'no_criterion_matches'
  const most = scoreOf(chosen, context, atMs) ?? 0
  if (score === most) return 'created_later'
  return score ? 'fewer_criteria_match' : 'another_rule_matches'
}
