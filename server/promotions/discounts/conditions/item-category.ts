import type { RuleNode } from '../rules/rule-document.ts'
import type { Condition } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { membership } from './membership.ts'

/** Whether the product is in one of these nodes, or in a node below one. */
export function itemCategory(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const listed = new Set(node.args ?? [])
  return lineCondition(node, path, children, {
    matches: membership(node.operator, ({ line }) => line.nodeIds.some((id) => listed.has(id))),
    read: ({ line }) => line.nodeIds,
  })
}
