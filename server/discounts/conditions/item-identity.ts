import type { RuleNode } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import type { Condition } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { membership } from './membership.ts'

/** Which product a line is of. */

const skuOf = ({ line }: WorkingLine) => (line.sku === undefined ? [] : [line.sku])
const idOf = ({ line }: WorkingLine) => (line.productId === undefined ? [] : [line.productId])

export function itemSku(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const test = membership(node.operator, new Set(node.args ?? []))
  return lineCondition(node, path, children, {
    matches: (line) => test(skuOf(line)),
    read: ({ line }) => line.sku,
  })
}

export function itemProductId(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const test = membership(node.operator, new Set(node.args ?? []))
  return lineCondition(node, path, children, {
    matches: (line) => test(idOf(line)),
    read: ({ line }) => line.productId,
  })
}

interface Identifiers {
  readonly skus?: readonly string[]
  readonly ids?: readonly string[]
}

/** By SKU or by id. The id of a product stands for its children too. */
export function itemIdentifier(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const each = (node.args ?? []) as readonly Identifiers[]
  const listed = new Set([
    ...each.flatMap(({ skus = [] }) => skus.map((sku) => `sku ${sku}`)),
    ...each.flatMap(({ ids = [] }) => ids.map((id) => `id ${id}`)),
  ])
  const test = membership(node.operator, listed)
  return lineCondition(node, path, children, {
    matches: ({ line: { sku, productId, parentProductId } }) =>
      test([`sku ${sku}`, `id ${productId}`, `id ${parentProductId}`]),
    read: ({ line: { sku, productId } }) => sku ?? productId,
  })
}

/** The products that a condition lists with `in`, by SKU or id. Those of an exclusion are not among them. */
export function productsNamedIn({
  strategy,
  operator,
  args = [],
  children = [],
}: RuleNode): readonly string[] {
  if (operator === 'in' && (strategy === 'item_sku' || strategy === 'item_product_id')) {
    return args as readonly string[]
  }
  if (operator === 'in' && strategy === 'item_identifier') {
    return (args as readonly Identifiers[]).flatMap(({ skus = [], ids = [] }) => [...skus, ...ids])
  }
  return strategy === 'and' || strategy === 'or' ? children.flatMap(productsNamedIn) : []
}
