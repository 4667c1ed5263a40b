import type { RuleNode } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import { isAmong, toKeys } from './attribute-values.ts'
import type { Condition } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { membership } from './membership.ts'

/** Compares the value of a template field. Arguments: template, field, type, then values. */
export function itemAttribute(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const [template = '', field = '', type = '', ...values] = node.args ?? []
  const keys = toKeys(String(type), values)
  const read = ({ line }: WorkingLine) => line.attributes[String(template)]?.[String(field)]
  const matches = membership<WorkingLine>(node.operator, (line) => isAmong(keys, String(type), read(line)))
  return lineCondition(node, path, children, { matches, read })
}
