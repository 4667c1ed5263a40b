import { Problem, type ProblemExtras } from '../kernel/errors.ts'
import { type Contents, linesMax } from './contents.ts'

const countOf = ({ lines, codes }: Contents) => lines.length + codes.length

/** Refuses more lines and codes than a cart has. A cart that has more since before the limit may keep them. */
export function mustBeFew(next: Contents, before: Contents, extras: ProblemExtras): void {
  if (countOf(next) <= linesMax || countOf(next) <= countOf(before)) return
  throw new Problem('unprocessable', `A cart has at most ${linesMax} items and codes.`, {
    title: 'Limit Reached',
    ...extras,
  })
}
