import { divide } from '../../../prices/index.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { priceOf, type WorkingLine } from '../working-cart.ts'
import type { Condition } from './condition.ts'
import { lineCondition } from './line-condition.ts'
import { comparison, membership } from './operators.ts'

/** Which product a line is of. */

const isOneOf = (listed: ReadonlySet<unknown>, name: string | undefined): boolean =>
  name !== undefined && listed.has(name)

export function itemSku(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const listed = new Set(node.args)
  return lineCondition(node, path, children, {
    matches: membership(node.operator, ({ line }) => isOneOf(listed, line.sku)),
    read: ({ line }) => line.sku,
  })
}

export function itemProductId(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const listed = new Set(node.args)
  return lineCondition(node, path, children, {
    matches: membership(node.operator, ({ line }) => isOneOf(listed, line.productId)),
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
  const skus = new Set<unknown>(each.flatMap(({ skus = [] }) => skus))
  const ids = new Set<unknown>(each.flatMap(({ ids = [] }) => ids))
  return lineCondition(node, path, children, {
    matches: membership(
      node.operator,
      ({ line: { sku, productId, parentProductId } }) =>
        isOneOf(skus, sku) || isOneOf(ids, productId) || isOneOf(ids, parentProductId),
    ),
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

/** Whether the product is in one of these nodes, or in a node below one. */
export function itemCategory(node: RuleNode, path: string, children: readonly Condition[]): Condition {
  const listed = new Set(node.args ?? [])
  return lineCondition(node, path, children, {
    matches: membership(node.operator, ({ line }) => line.nodeIds.some((id) => listed.has(id))),
    read: ({ line }) => line.nodeIds,
  })
}

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
