import { Problem, together } from '../errors.ts'

interface Refusals {
  /** Whether one refused change refuses all. */
  readonly isAllOrNothing: boolean
  /** Takes the refused changes otherwise, if others are applied. */
  readonly refused: Problem[]
}

/**
 * Applies changes to the contents of a thing, one after the other. If none can be applied, or a caller has made too
 * many attempts, the request is refused.
 */
export async function applyEach<C, T>(
  contents: C,
  changes: readonly T[],
  { isAllOrNothing, refused }: Refusals,
  apply: (contents: C, change: T, i: number) => Promise<C> | C,
): Promise<C> {
  const faults: Problem[] = []
  let sofar = contents
  for (const [i, change] of changes.entries()) {
    try {
      sofar = await apply(sofar, change, i)
    } catch (problem) {
      if (isAllOrNothing || !(problem instanceof Problem) || problem.code === 'rate_limited') throw problem
      faults.push(problem)
    }
  }
  if (faults.length && faults.length === changes.length) throw together(faults)
  refused.push(...faults)
  return sofar
}
