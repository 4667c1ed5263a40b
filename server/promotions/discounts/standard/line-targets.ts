import { isAmong, toKeys } from '../conditions/attribute-conditions.ts'
import type { DiscountLine } from '../discount-cart.ts'
import type { AttributeTarget, TargetCondition, TargetConditions, Targets } from './standard-document.ts'

type TargetTest = (line: DiscountLine) => boolean

/** Makes a test of lines: whether any of the targets is theirs. Without targets no line passes. */
export function anyTarget({
  targets,
  target_nodes,
  target_attributes,
  target_conditions,
}: Targets): TargetTest {
  const tests: readonly TargetTest[] = [
    ...(targets?.length ? [byProduct(new Set(targets))] : []),
    ...(target_nodes?.length ? [byNode(new Set(target_nodes))] : []),
    ...byAttributes(target_attributes ?? []),
    ...conditionsOf(target_conditions),
  ]
  return (line) => tests.some((test) => test(line))
}

const byProduct =
  (listed: ReadonlySet<string>): TargetTest =>
  ({ sku, productId }) =>
    listed.has('all') ||
    (sku !== undefined && listed.has(sku)) ||
    (productId !== undefined && listed.has(productId))

const byNode =
  (listed: ReadonlySet<string>): TargetTest =>
  ({ nodeIds }) =>
    nodeIds.some((id) => listed.has(id))

const attributeOf = (target: AttributeTarget) => ('attribute' in target ? target.attribute : target)

/** One test for each field, however many of its values are targets. */
function byAttributes(targets: readonly AttributeTarget[]): readonly TargetTest[] {
  const fields = Map.groupBy(targets.map(attributeOf), ({ template, field, type }) =>
    JSON.stringify([template, field, type]),
  )
  return [...fields.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const { template, field, type } = first
    const keys = toKeys(
      type,
      some.flatMap(({ value, values }) => [value ?? [], values ?? []].flat()),
    )
    return [({ attributes }) => isAmong(keys, type, attributes[template]?.[field])]
  })
}

const byAttribute = (target: AttributeTarget): TargetTest => {
  const [test] = byAttributes([target])
  return (line) => test?.(line) ?? false
}

const conditionsOf = (conditions: TargetConditions | null | undefined): readonly TargetTest[] =>
  (conditions?.or ?? []).map(({ and = [] }) => {
    const tests = and.map(byCondition)
    // Nothing meets an empty list: it is a mistake, and must not discount everything.
    return (line) => tests.length > 0 && tests.every((test) => test(line))
  })

const byCondition = (condition: TargetCondition): TargetTest =>
  'node' in condition ? byNode(new Set(condition.node.values ?? [])) : byAttribute(condition)
