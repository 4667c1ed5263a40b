import { type Group, makeSets } from '../make-sets.ts'
import type { RuleNode } from '../rules/rule-document.ts'
import { type Bundle, type Condition, metFinding } from './condition.ts'

type CompileNode = (node: RuleNode, path: string) => Condition

/**
 * Is met where the cart has a bundle: some units of each group. A group is a condition for lines, with an item_quantity
 * that says how many units; without one it is one unit. Finds all lines that a group may take units from.
 */
export function itemsBundle(
  { strategy, children = [] }: RuleNode,
  path: string,
  compile: CompileNode,
): Condition {
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
