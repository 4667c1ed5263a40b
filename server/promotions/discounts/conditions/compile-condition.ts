import { type Group, makeSets } from '../make-sets.ts'
import { type RuleNode, treeLimits } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import { cartCustomAttribute, itemAttribute, itemCustomAttribute } from './attribute-conditions.ts'
import { accountTags, cartTotal } from './cart-conditions.ts'
import { always, type Bundle, type Condition, type Finding, metFinding } from './condition.ts'
import {
  itemCategory,
  itemIdentifier,
  itemPrice,
  itemProductId,
  itemQuantity,
  itemSku,
} from './item-conditions.ts'

/** Is met where all children are. It finds the lines that all children find. */
const and = (_node: RuleNode, _path: string, children: readonly Condition[]): Condition => ({
  bundles: children.flatMap(({ bundles }) => bundles),
  check(scope) {
    let lines: readonly WorkingLine[] | undefined
    for (const child of children) {
      const finding = child.check(scope)
      if (!finding.isMet) return finding
      lines = intersect(lines, finding.lines, scope.lines)
    }
    return metFinding(lines)
  },
})

/**
 * Is met where a child is. It finds the lines that any child finds. If one that is met says nothing about lines,
 * neither does it.
 */
const or = (node: RuleNode, path: string, children: readonly Condition[]): Condition => ({
  bundles: children.flatMap(({ bundles }) => bundles),
  check(scope) {
    const findings = children.map((child) => child.check(scope))
    const found = findings.filter(isMet)
    if (!found.length) {
      const has = findings.flatMap((finding) => (finding.isMet ? [] : finding.unmet))
      return {
        isMet: false,
        unmet: { node: path, strategy: node.strategy, needs: 'one of its children', has },
      }
    }
    const each = found.map(({ lines }) => lines)
    if (each.includes(undefined)) return metFinding()
    const all = new Set(each.flatMap((lines = []) => lines))
    return metFinding(scope.lines.filter((line) => all.has(line)))
  },
})

const isMet = (finding: Finding) => finding.isMet

/** What is in both. `all` has all that can be: a list that is as long has nothing to leave out. */
function intersect<T>(
  one: readonly T[] | undefined,
  other: readonly T[] | undefined,
  all: readonly T[],
): readonly T[] | undefined {
  if (!one || !other || other.length === all.length) return one ?? other
  const others = new Set(other)
  return one.filter((item) => others.has(item))
}

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

type CompileNode = (node: RuleNode, path: string) => Condition

/**
 * Is met where the cart has a bundle: some units of each group. A group is a condition for lines, with an item_quantity
 * that says how many units; without one it is one unit. Finds all lines that a group may take units from.
 */
function itemsBundle({ strategy, children = [] }: RuleNode, path: string, compile: CompileNode): Condition {
  const groups = children.map((child, index) => toGroup(child, `${path}.children.${index}`, compile))
  const bundle: Bundle = {
    groupsIn: (scope) =>
      groups.map(({ condition, quantity }) => {
        const finding = condition.check(scope)
        return { quantity, lines: finding.isMet ? (finding.lines ?? scope.lines) : [] }
      }),
  }
  return {
    bundles: [bundle],
    check(scope) {
      const found = bundle.groupsIn(scope)
      const { batches, lack } = found.length
        ? makeSets(found, ({ quantity }) => quantity, 1)
        : { batches: [], lack: undefined }
      if (!batches.length) {
        const node = `${path}.children.${lack?.group ?? 0}`
        return { isMet: false, unmet: { node, strategy, needs: lack?.needs ?? 1, has: lack?.has ?? 0 } }
      }
      const lines = new Set(found.flatMap((group: Group) => group.lines))
      return metFinding(scope.lines.filter((line) => lines.has(line)))
    },
  }
}

/** Any item_quantity is read as the number of units, though only `eq` is documented: examples have `gte`. */
function toGroup(node: RuleNode, path: string, compile: CompileNode) {
  const { children = [] } = node
  const counts = [node, ...children].filter(isQuantity)
  const rest = children.filter((child) => !isQuantity(child))
  const matcher = isQuantity(node) ? { strategy: 'and', children: rest } : { ...node, children: rest }
  const [units] = counts[0]?.args ?? []
  return {
    condition: compile(matcher, path),
    quantity: typeof units === 'number' ? Math.max(1, Math.floor(units)) : 1,
  }
}

const isQuantity = ({ strategy }: RuleNode) => strategy === 'item_quantity'
