import type { Group } from '../make-sets.ts'
import type { UnmetNode } from '../verdicts.ts'
import type { WorkingCart, WorkingLine } from '../working-cart.ts'

/** What a cart must be like. */
export interface Condition {
  readonly check: (scope: Scope) => Finding
  /** The bundles that the condition asks for: an effect may discount one of them. */
  readonly bundles: readonly Bundle[]
}

export interface Scope {
  readonly cart: WorkingCart
  readonly lines: readonly WorkingLine[]
}

export type Finding = MetFinding | { readonly isMet: false; readonly unmet: UnmetNode }

/** The cart meets the condition. */
interface MetFinding {
  readonly isMet: true
  /** The lines that meet the condition. Undefined where it says nothing about lines. */
  readonly lines: readonly WorkingLine[] | undefined
}

/** The groups of lines that a bundle is made of. */
export interface Bundle {
  readonly groupsIn: (scope: Scope) => readonly Group[]
}

export const metFinding = (lines?: readonly WorkingLine[]): MetFinding => ({ isMet: true, lines })

/** Met by every cart. */
export const always: Condition = { check: () => metFinding(), bundles: [] }
