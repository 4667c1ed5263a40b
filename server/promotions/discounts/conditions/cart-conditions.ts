import { sum } from '../../../prices/index.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { type Condition, metFinding } from './condition.ts'
import { narrow } from './line-condition.ts'
import { comparison } from './operators.ts'

type Test = (listed: readonly unknown[], tags: ReadonlySet<unknown>) => boolean

const tests: Readonly<Record<string, Test>> = {
  contains_all: (listed, tags) => listed.every((tag) => tags.has(tag)),
  contains_any: (listed, tags) => listed.some((tag) => tags.has(tag)),
  not_contains_any: (listed, tags) => !listed.some((tag) => tags.has(tag)),
  not_contains_all: (listed, tags) => !listed.every((tag) => tags.has(tag)),
}

/** Compares the tags of the cart's account. */
export function accountTags({ strategy, operator, args = [] }: RuleNode, path: string): Condition {
  const test = tests[operator ?? '']
  if (!test) throw new Error(`${operator} is not an operator of account_tags`)
  return {
    bundles: [],
    check({ cart }) {
      const has = cart.cart.accountTags
      return test(args, new Set(has))
        ? metFinding()
        : { isMet: false, unmet: { node: path, strategy, operator, needs: args, has } }
    },
  }
}

/** Compares what lines cost after the discounts so far. Children say which lines count. */
export function cartTotal(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const { strategy, operator, args = [] } = node
  const test = comparison(operator, args)
  return {
    bundles: [],
    check(scope) {
      const counted = narrow(scope, children, path)
      const lines = counted.isMet ? (counted.lines ?? []) : []
      const has = sum(lines.map(({ left }) => left))
      return test(has)
        ? metFinding()
        : { isMet: false, unmet: { node: path, strategy, operator, needs: args, has } }
    },
  }
}
