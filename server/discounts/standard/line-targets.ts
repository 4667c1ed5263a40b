import { keysOf, toKeys } from '../conditions/attribute-values.ts'
import type { DiscountLine } from '../discount-cart.ts'
import type { AttributeTarget, TargetCondition, TargetConditions, Targets } from './standard-document.ts'

export type LineTest = (line: DiscountLine) => boolean

/** Makes a test of lines: whether any of the targets is theirs. Without targets no line passes. */
export function anyTarget({
  targets,
  target_nodes,
  target_attributes,
  target_conditions,
}: Targets): LineTest {
  const tests: readonly LineTest[] = [
    ...(targets?.length ? [byProduct(new Set(targets))] : []),
    ...(target_nodes?.length ? [byNode(new Set(target_nodes))] : []),
    ...(target_attributes ?? []).map(byAttribute),
    ...conditionsOf(target_conditions),
  ]
  return (line) => tests.some((test) => test(line))
}

const byProduct =
  (listed: ReadonlySet<string>): LineTest =>
  ({ sku, productId }) =>
    listed.has('all') ||
    (sku !== undefined && listed.has(sku)) ||
    (productId !== undefined && listed.has(productId))

const byNode =
  (listed: ReadonlySet<string>): LineTest =>
  ({ nodeIds }) =>
    nodeIds.some((id) => listed.has(id))

function byAttribute(target: AttributeTarget): LineTest {
  const { template, field, type, value, values } = 'attribute' in target ? target.attribute : target
  const listed = toKeys(type, [value ?? [], values ?? []].flat())
  return ({ attributes }) => keysOf(type, attributes[template]?.[field]).some((key) => listed.has(key))
}

const conditionsOf = (conditions: TargetConditions | null | undefined): readonly LineTest[] =>
  (conditions?.or ?? []).map(({ and = [] }) => {
    const tests = and.map(byCondition)
    // Nothing meets an empty list: it is a mistake, and must not discount everything.
    return (line) => tests.length > 0 && tests.every((test) => test(line))
  })

const byCondition = (condition: TargetCondition): LineTest =>
  'node' in condition ? byNode(new Set(condition.node.values ?? [])) : byAttribute(condition)
