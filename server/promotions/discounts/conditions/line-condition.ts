import type { RuleNode } from '../rules/rule-document.ts'
import type { WorkingLine } from '../working-cart.ts'
import { type Condition, metFinding, type Scope } from './condition.ts'

interface LineTest {
  readonly matches: (line: WorkingLine) => boolean
  /** What the test looks at: it is shown where no line passes. */
  readonly read: (line: WorkingLine) => unknown
}

/** How many values a verdict shows. */
const shownMax = 20

/** Is met by some line that passes the test and that all children find as well. */
export function lineCondition(
  { strategy, operator, args = [] }: RuleNode,
  node: string,
  children: readonly Condition[],
  { matches, read }: LineTest,
): Condition {
  return {
    bundles: [],
    check(scope) {
      const lines = scope.lines.filter(matches)
      if (lines.length) return narrow({ ...scope, lines }, children, node)
      const has = scope.lines.slice(0, shownMax).map(read)
      return { isMet: false, unmet: { node, strategy, operator, needs: args, has } }
    },
  }
}

/** Lets children find lines among those of the scope, and keeps what all of them find: their order does not matter. */
export function narrow(
  scope: Scope,
  children: readonly Condition[],
  node: string,
): ReturnType<Condition['check']> {
  let { lines } = scope
  for (const child of children) {
    const finding = child.check(scope)
    if (!finding.isMet) return finding
    // A child that has found all lines of its scope leaves none out.
    if (finding.lines && finding.lines.length < scope.lines.length) {
      const found = new Set(finding.lines)
      lines = lines.filter((line) => found.has(line))
    }
    // A child such as `and` can be met by lines of which none meets all of it.
    if (!lines.length)
      return { isMet: false, unmet: { node, strategy: 'children', needs: 'one line', has: [] } }
  }
  return metFinding(lines)
}
