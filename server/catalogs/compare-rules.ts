import { criteria, isInForce, type Rule } from './resolve-rule.ts'
import { overlap } from './schedules.ts'

/** How a rule compares with what is asked about rules: by a merchant who looks for some, or is about to make one. */

/** A rule, or as much as is told of one. */
export interface Described extends Omit<Rule, 'id' | 'name' | 'createdAt'> {
  readonly name?: string | undefined
  readonly catalogId?: string | undefined
  readonly pricebookIds?: readonly string[] | undefined
}

/** Whether a rule has something of all that is asked, and is in force at the instant, if one is given. */
export function hasAll(rule: Described, asked: Described, atMs: number | undefined): boolean {
  if (asked.name !== undefined && asked.name !== rule.name) return false
  if (asked.catalogId !== undefined && asked.catalogId !== rule.catalogId) return false
  if (atMs !== undefined && !isInForce(rule, atMs)) return false
  if (asked.pricebookIds && !inCommon(rule.pricebookIds, asked.pricebookIds)) return false
  if (asked.spans && rule.spans && !overlaps(rule, asked)) return false
  return criteria.every((one) => !asked[one] || inCommon(rule[one], asked[one]) > 0)
}

const weights = { name: 100, value: 5, catalog: 3, pricebook: 2, schedule: 2 } as const

/** How much a rule is like another: the more they have in common, the higher. */
export function similarity(rule: Described, asked: Described): number {
  const same = <T>(one: T | undefined, other: T | undefined) => Number(one !== undefined && one === other)
  const values = criteria.reduce((sum, one) => sum + inCommon(rule[one], asked[one]), 0)
  return (
    weights.name * same(asked.name, rule.name) +
    weights.value * values +
    weights.catalog * same(asked.catalogId, rule.catalogId) +
    weights.pricebook * inCommon(rule.pricebookIds, asked.pricebookIds) +
    weights.schedule * overlaps(rule, asked)
  )
}

/**
 * Whether only their age decides between two rules, for a shopper who meets all that both ask: they ask the same, of
 * each something in common, at times that overlap.
 */
export function conflict(rule: Described, asked: Described): boolean {
  const alike = criteria.every((one) =>
    rule[one] && asked[one] ? inCommon(rule[one], asked[one]) > 0 : !rule[one] && !asked[one],
  )
  return alike && (rule.spans && asked.spans ? overlaps(rule, asked) > 0 : !rule.spans && !asked.spans)
}

/** Of two rules that conflict: the values that both ask for, by criterion. */
export const conflictsOn = (rule: Described, asked: Described): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    criteria.flatMap((one) =>
      rule[one] && asked[one] ? [[one, [...new Set(rule[one]).intersection(new Set(asked[one]))]]] : [],
    ),
  )

function inCommon(one: Iterable<string> | undefined, other: Iterable<string> | undefined): number {
  return new Set(one).intersection(new Set(other)).size
}

/** How many of the schedules that are asked about overlap with one of the rule's. */
const overlaps = (rule: Described, asked: Described): number =>
  (asked.spans ?? []).filter((span) => rule.spans?.some((other) => overlap(span, other))).length
