import type { Contents } from '../carts/index.ts'
import { Problem } from '../kernel/errors.ts'

interface Refusals {
  /** Whether one refused change refuses all. */
  readonly isAll: boolean
  /** Takes the refused changes otherwise. */
  readonly refused: Problem[]
}

/** Applies changes to the contents of a cart, one after the other. */
export const applyEach = <T>(
  contents: Contents,
  changes: readonly T[],
  { isAll, refused }: Refusals,
  apply: (contents: Contents, change: T, i: number) => Contents,
): Contents =>
  changes.reduce((sofar, change, i) => {
    try {
      return apply(sofar, change, i)
    } catch (problem) {
      if (isAll || !(problem instanceof Problem)) throw problem
      refused.push(problem)
      return sofar
    }
  }, contents)
