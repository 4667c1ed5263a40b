import { Problem, type ProblemExtras } from '../../kernel/errors.ts'
import type { Selection } from '../../prices/index.ts'
import { type CartLine, type Contents, linesMax, optionsMax } from './contents.ts'

const countOf = ({ lines, codes }: Contents) => lines.length + codes.length

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** The options that a selection has in all components together. */
export const countSelected = (selection: Selection = {}): number =>
  sum(Object.values(selection).map((options) => Object.keys(options).length))

/** The selected options of the bundles among lines. */
export function countOptions(lines: readonly CartLine[]): number {
  let count = 0
  // Each item that is added counts those of all lines.
  for (const line of lines) {
    if (line.kind !== 'cart_item' || !line.components) continue
    for (const { options } of Object.values(line.components)) count += options.length
  }
  return count
}

/** Refuses more than a cart has. A cart that has more since before the limits may keep it. */
export function mustBeFew(next: Contents, before: Contents, extras: ProblemExtras): void {
  const refuse = (detail: string) => {
    throw new Problem('unprocessable', detail, { title: 'Limit Reached', ...extras })
  }
  if (countOf(next) > linesMax && countOf(next) > countOf(before)) {
    refuse(`A cart has at most ${linesMax} items and codes.`)
  }
  const options = countOptions(next.lines)
  if (options > optionsMax && options > countOptions(before.lines)) {
    refuse(`The bundles of a cart have at most ${optionsMax} selected options, not ${options}.`)
  }
}
