import { problemOf } from '../rules/refusals.ts'
import type { Decision } from '../rules/requests.ts'

/** The value of a decision; throws its refusal as a Problem. */
export function accept<T>({ refusal, value }: Decision<T>): T {
  if (refusal) throw problemOf(refusal)
  return value as T
}
