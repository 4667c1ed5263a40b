import { sum } from '../../../prices/index.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { comparison } from './comparison.ts'
import { type Condition, metFinding } from './condition.ts'
import { narrow } from './line-condition.ts'

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
