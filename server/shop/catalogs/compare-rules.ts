import { criteria, isInForce, type ResolvedRule } from './resolve-rule.ts'
import { overlap } from './schedules.ts'

/** Compares rules with the query of a merchant who searches rules, or is about to write one. */

/** A rule, or some members of one. */
export interface RuleMembers extends Omit<ResolvedRule, 'id' | 'name' | 'createdAt'> {
  readonly name?: string | undefined
  readonly catalogId?: string | undefined
  readonly pricebookIds?: readonly string[] | undefined
}

/** Whether a rule matches each member of the query, and is in force at the instant, if there is one. */
export function hasAll(rule: RuleMembers, query: RuleMembers, atMs: number | undefined): boolean {
  if (query.name !== undefined && query.name !== rule.name) return false
  if (query.catalogId !== undefined && query.catalogId !== rule.catalogId) return false
  if (atMs !== undefined && !isInForce(rule, atMs)) return false
  if (query.pricebookIds && !inCommon(rule.pricebookIds, query.pricebookIds)) return false
  if (query.spans && rule.spans && !overlaps(rule, query)) return false
  return criteria.every((one) => !query[one] || inCommon(rule[one], query[one]) > 0)
}

const weights = { name: 100, value: 5, catalog: 3, pricebook: 2, schedule: 2 } as const

/** The similarity of two rules: it rises with the values that they share. */
export function similarity(rule: RuleMembers, query: RuleMembers): number {
  const same = <T>(one: T | undefined, other: T | undefined) => Number(one !== undefined && one === other)
  const values = criteria.reduce((sum, one) => sum + inCommon(rule[one], query[one]), 0)
  return (
    weights.name * same(query.name, rule.name) +
    weights.value * values +
    weights.catalog * same(query.catalogId, rule.catalogId) +
    weights.pricebook * inCommon(rule.pricebookIds, query.pricebookIds) +
    weights.schedule * overlaps(rule, query)
  )
}

/**
 * Whether only their age decides between two rules for some shopper: they have the same criteria, share a value of
 * each, and their schedules overlap.
 */
export function conflict(rule: RuleMembers, query: RuleMembers): boolean {
  const alike = criteria.every((one) =>
    rule[one] && query[one] ? inCommon(rule[one], query[one]) > 0 : !rule[one] && !query[one],
  )
  return alike && (rule.spans && query.spans ? overlaps(rule, query) > 0 : !rule.spans && !query.spans)
}

/** Of two conflicting rules: the values that they share, by criterion. */
export const conflictsOn = (
  rule: RuleMembers,
  query: RuleMembers,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    criteria.flatMap((one) =>
      rule[one] && query[one] ? [[one, [...new Set(rule[one]).intersection(new Set(query[one]))]]] : [],
    ),
  )

function inCommon(one: Iterable<string> | undefined, other: Iterable<string> | undefined): number {
  return new Set(one).intersection(new Set(other)).size
}

/** How many schedules of the query overlap with one of the rule. */
const overlaps = (rule: RuleMembers, query: RuleMembers): number =>
  (query.spans ?? []).filter((span) => rule.spans?.some((other) => overlap(span, other))).length
