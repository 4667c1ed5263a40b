import { divide } from '../../../prices/index.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { priceOf, type WorkingLine } from '../working-cart.ts'
import { comparison } from './comparison.ts'
import type { Condition } from './condition.ts'
import { lineCondition } from './line-condition.ts'

/** Compares what a unit of a line costs after the discounts so far. */
export function itemPrice(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const test = comparison(node.operator, node.args ?? [])
  return lineCondition(node, path, children, {
    matches: (line) => test(priceOf(line, 1)),
    read: ({ left, quantity }) => divide(left, quantity),
  })
}

/** Compares the quantity of each line. */
export function itemQuantity(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const test = comparison(node.operator, node.args ?? [])
  const read = ({ quantity }: WorkingLine) => quantity
  return lineCondition(node, path, children, { matches: (line) => test(read(line)), read })
}
