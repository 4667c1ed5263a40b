import type { CustomAttribute } from '../discount-cart.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { isAmong, toKeys } from './attribute-values.ts'
import { comparison, toExact } from './comparison.ts'
import { type Condition, metFinding } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { membership } from './membership.ts'

type Attributes = Readonly<Record<string, CustomAttribute>>

/** Compares a custom attribute of the cart. Arguments: key, type, then values. */
export function cartCustomAttribute(node: RuleNode, path: string): Condition {
  const { strategy, operator, args: needs = [] } = node
  const [key = ''] = needs
  const matches = attributeTest(node)
  return {
    bundles: [],
    check({ cart: { cart } }) {
      if (matches(cart.customAttributes)) return metFinding()
      const has = cart.customAttributes[String(key)]?.value
      return { isMet: false, unmet: { node: path, strategy, operator, needs, has } }
    },
  }
}

/** Compares a custom attribute of a line. */
export function itemCustomAttribute(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const [key = ''] = node.args ?? []
  const matches = attributeTest(node)
  return lineCondition(node, path, children, {
    matches: ({ line }) => matches(line.customAttributes),
    read: ({ line }) => line.customAttributes[String(key)]?.value,
  })
}

/** An attribute of another type is as good as none: only `nin` accepts it. */
function attributeTest({ operator, args = [] }: RuleNode): (attributes: Attributes) => boolean {
  const [key, type, ...values] = args
  const valueIn = (attributes: Attributes) => {
    const name = String(key)
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    return attribute?.type === type ? attribute?.value : undefined
  }
  if (operator === 'in' || operator === 'nin' || operator === 'eq') {
    const keys = toKeys(String(type), values)
    return membership(operator === 'eq' ? 'in' : operator, (attributes) =>
      isAmong(keys, String(type), valueIn(attributes)),
    )
  }
  const test = comparison(operator, values)
  return (attributes) => {
    const value = valueIn(attributes)
    return typeof value === 'number' && test(toExact(value))
  }
}
