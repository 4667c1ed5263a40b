import type { Contents } from '../carts/index.ts'
import { Problem } from '../kernel/errors.ts'

interface Refusals {
  /** Whether one refused change refuses all. */
  readonly isAllOrNothing: boolean
  /** Takes the refused changes otherwise. */
  readonly refused: Problem[]
}

/** Applies changes to the contents of a cart, one after the other. Too many attempts refuse the whole request. */
export async function applyEach<T>(
  contents: Contents,
  changes: readonly T[],
  { isAllOrNothing, refused }: Refusals,
  apply: (contents: Contents, change: T, i: number) => Promise<Contents> | Contents,
): Promise<Contents> {
  let sofar = contents
  for (const [i, change] of changes.entries()) {
    try {
      sofar = await apply(sofar, change, i)
    } catch (problem) {
      if (isAllOrNothing || !(problem instanceof Problem) || problem.code === 'rate_limited') throw problem
      refused.push(problem)
    }
  }
  return sofar
}
