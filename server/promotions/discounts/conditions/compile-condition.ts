import { type RuleNode, treeLimits } from '../rules/rule-document.ts'
import { accountTags } from './account-tags.ts'
import { cartTotal } from './cart-total.ts'
import { always, type Condition } from './condition.ts'
import { cartCustomAttribute, itemCustomAttribute } from './custom-attribute.ts'
import { itemAttribute } from './item-attribute.ts'
import { itemCategory } from './item-category.ts'
import { itemIdentifier, itemProductId, itemSku } from './item-identity.ts'
import { itemPrice, itemQuantity } from './item-numbers.ts'
import { itemsBundle } from './items-bundle.ts'
import { and, or } from './logic.ts'

type Compile = (node: RuleNode, path: string, children: readonly Condition[]) => Condition

const strategies: Readonly<Record<string, Compile>> = {
  and,
  or,
  account_tags: accountTags,
  cart_custom_attribute: cartCustomAttribute,
  cart_total: cartTotal,
  item_attribute: itemAttribute,
  item_category: itemCategory,
  item_custom_attribute: itemCustomAttribute,
  item_identifier: itemIdentifier,
  item_price: itemPrice,
  item_product_id: itemProductId,
  item_quantity: itemQuantity,
  item_sku: itemSku,
}

/** Compiles a tree, or a list of trees that must all be met. Throws for what no resource would have accepted. */
export function compileCondition(
  nodes: RuleNode | readonly RuleNode[] | null | undefined,
  path: string,
): Condition {
  const list = nodesOf(nodes)
  if (!list.length) return always
  const conditions = list.map((node, index) =>
    compileNode(node, Array.isArray(nodes) ? `${path}.${index}` : path, 1),
  )
  const [first] = conditions
  return conditions.length === 1 && first ? first : and({ strategy: 'and' }, path, conditions)
}

export const nodesOf = (nodes: RuleNode | readonly RuleNode[] | null | undefined): readonly RuleNode[] =>
  nodes ? [nodes].flat() : []

function compileNode(node: RuleNode, path: string, depth: number): Condition {
  if (depth > treeLimits.depthMax) throw new Error(`${path} is deeper than ${treeLimits.depthMax} levels`)
  if (node.strategy === 'items_bundle') {
    return itemsBundle(node, path, (child, at) => compileNode(child, at, depth + 1))
  }
  const compile = Object.hasOwn(strategies, node.strategy) ? strategies[node.strategy] : undefined
  if (!compile) throw new Error(`${path} has the unknown strategy ${node.strategy}`)
  const children = (node.children ?? []).map((child, index) =>
    compileNode(child, `${path}.children.${index}`, depth + 1),
  )
  return compile(node, path, children)
}
