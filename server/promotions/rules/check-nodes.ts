import { type RuleNode, treeLimits } from '../discounts/rules/rule-document.ts'
import {
  attributeValues,
  type CheckArgs,
  identifiers,
  ids,
  listOf,
  numbers,
  tags,
  templateValues,
  texts,
} from './check-args.ts'
import { fault } from './fault.ts'

/** A kind of condition. */
interface Strategy {
  /** Without operators, it has no arguments either: its children say what it is about. */
  readonly operators?: readonly string[]
  readonly args?: CheckArgs
  /** What its children may be: what may stand in its own place, or conditions for items. */
  readonly children?: 'same' | 'items'
  readonly needsChildren?: true
  /** Whether it looks at items. */
  readonly isOfItems?: true
}

const membership = ['in', 'nin']
const comparisons = ['gt', 'gte', 'lt', 'lte', 'eq']
const ofItems = { isOfItems: true, children: 'items' } as const
const logic = { children: 'same', needsChildren: true, isOfItems: true } as const
const customAttribute = { operators: [...membership, ...comparisons], args: attributeValues }

const strategies: Readonly<Record<string, Strategy>> = {
  and: logic,
  or: logic,
  account_tags: {
    operators: ['contains_all', 'contains_any', 'not_contains_any', 'not_contains_all'],
    args: tags,
  },
  cart_custom_attribute: customAttribute,
  cart_total: { operators: [...comparisons, 'range'], args: numbers, children: 'items' },
  item_attribute: { ...ofItems, operators: membership, args: templateValues },
  item_category: { ...ofItems, operators: membership, args: ids },
  item_custom_attribute: { ...ofItems, ...customAttribute },
  item_identifier: { ...ofItems, operators: membership, args: identifiers },
  item_price: { ...ofItems, operators: [...comparisons, 'ne'], args: numbers },
  item_product_id: { ...ofItems, operators: membership, args: ids },
  item_quantity: { ...ofItems, operators: [...comparisons, 'ne'], args: numbers },
  item_sku: { ...ofItems, operators: membership, args: texts },
  items_bundle: { children: 'items', needsChildren: true },
}

/** What the trees of a promotion may be made of. */
export const treeKinds = {
  rules: Object.keys(strategies),
  /** Of an action: which items it is for. A `cart_total` is for the whole cart. */
  condition: Object.keys(strategies).filter((name) => !/^account|^cart_custom/.test(name)),
} as const

/** All of them; each strategy has some. */
export const operators = [...new Set(Object.values(strategies).flatMap(({ operators = [] }) => operators))]

const itemStrategies = Object.keys(strategies).filter((name) => strategies[name]?.isOfItems)

/** How many nodes all trees of a promotion may still have. */
export interface Budget {
  nodes: number
}

/** Refuses a tree, or a list of trees, that cannot be compiled. Returns it without members that it does not have. */
export function checkNodes(
  nodes: unknown,
  path: string,
  accepted: readonly string[],
  budget: Budget,
): RuleNode | readonly RuleNode[] {
  return Array.isArray(nodes)
    ? checkList(nodes, path, accepted, budget, 1)
    : checkNode(nodes, path, accepted, budget, 1)
}

function checkList(
  nodes: readonly unknown[],
  path: string,
  accepted: readonly string[],
  budget: Budget,
  depth: number,
): readonly RuleNode[] {
  // Before anything is looked at: a list may be long.
  if (nodes.length > budget.nodes) {
    throw fault(path, `has too many conditions: a promotion has at most ${treeLimits.nodesMax}`)
  }
  return nodes.map((node, index) => checkNode(node, `${path}.${index}`, accepted, budget, depth))
}

function checkNode(
  node: unknown,
  path: string,
  accepted: readonly string[],
  budget: Budget,
  depth: number,
): RuleNode {
  if (depth > treeLimits.depthMax) {
    throw fault(path, `is too deep: conditions have at most ${treeLimits.depthMax} levels`)
  }
  budget.nodes -= 1
  if (budget.nodes < 0) {
    throw fault(path, `is one condition too many: a promotion has at most ${treeLimits.nodesMax}`)
  }
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    throw fault(path, 'must be an object with a strategy')
  }
  const { strategy, operator, args, children } = node as Readonly<Record<string, unknown>>
  const rule = typeof strategy === 'string' && accepted.includes(strategy) ? strategies[strategy] : undefined
  if (!rule) throw fault(`${path}.strategy`, `must be one of ${accepted.join(', ')}`)
  const names = rule.children === 'items' ? itemStrategies : accepted
  const below = checkChildren(children, `${path}.children`, rule, { names, budget, depth })
  return {
    strategy: strategy as string,
    ...checkComparison(rule, operator, args, path),
    ...(below && { children: below }),
  }
}

function checkComparison(
  { operators, args: check }: Strategy,
  operator: unknown,
  args: unknown,
  path: string,
) {
  if (!operators || !check) return {}
  if (typeof operator !== 'string' || !operators.includes(operator)) {
    throw fault(`${path}.operator`, `must be one of ${operators.join(', ')}`)
  }
  const at = `${path}.args`
  return { operator, args: check(listOf(args, at), operator, at) }
}

function checkChildren(
  children: unknown,
  path: string,
  { children: accepted, needsChildren }: Strategy,
  {
    names,
    budget,
    depth,
  }: { readonly names: readonly string[]; readonly budget: Budget; readonly depth: number },
): readonly RuleNode[] | undefined {
  const isEmpty = children === undefined || children === null || (Array.isArray(children) && !children.length)
  if (isEmpty && needsChildren) throw fault(path, 'must have at least one condition')
  if (isEmpty) return undefined
  if (!accepted) throw fault(path, 'must be left out: this strategy has no children')
  return checkList(listOf(children, path), path, names, budget, depth + 1)
}
