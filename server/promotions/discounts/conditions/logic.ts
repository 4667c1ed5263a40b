import type { RuleNode } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import { type Condition, type Finding, metFinding } from './condition.ts'

/** Is met where all children are. It finds the lines that all children find. */
export const and = (_node: RuleNode, _path: string, children: readonly Condition[]): Condition => ({
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
export const or = (node: RuleNode, path: string, children: readonly Condition[]): Condition => ({
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
