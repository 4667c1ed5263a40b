import { instantOf, isDay } from '../../../kernel/body/days.ts'
import type { CustomAttribute } from '../discount-cart.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import { type Condition, metFinding } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { comparison, membership, toExact } from './operators.ts'

/** Values of template fields and custom attributes, in a form that makes equal ones equal texts. */

function toKey(type: string, value: unknown): string {
  if (type === 'integer' || type === 'float') return String(Number(value))
  if (type === 'date' && typeof value === 'string' && isDay(value)) return String(instantOf(value))
  return String(value)
}

export const toKeys = (type: string, values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.map((value) => toKey(type, value)))

/** Whether the value of a product or cart is among the keys: of a list, any of its values. */
export function isAmong(keys: ReadonlySet<string>, type: string, value: unknown): boolean {
  if (value === undefined || value === null) return false
  return Array.isArray(value) ? value.some((one) => keys.has(toKey(type, one))) : keys.has(toKey(type, value))
}

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

/** Compares the value of a template field. Arguments: template, field, type, then values. */
export function itemAttribute(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const [template = '', field = '', type = '', ...values] = node.args ?? []
  const keys = toKeys(String(type), values)
  const read = ({ line }: WorkingLine) => line.attributes[String(template)]?.[String(field)]
  const matches = membership<WorkingLine>(node.operator, (line) => isAmong(keys, String(type), read(line)))
  return lineCondition(node, path, children, { matches, read })
}
