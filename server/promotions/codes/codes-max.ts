import { instantOf } from '../../kernel/body/days.ts'

/** How many codes a promotion can have, and a request can name. */
export const codesMax = 1000

/** How many codes a promotion can have that lasts a year at most. */
const codesMaxOfShort = 1_000_000

/** How many codes one job can generate. */
export const codesPerJobMax = 100_000

const shortMs = 365 * 86_400_000

/** What codes depend on in a promotion of either kind. */
export interface CodedPromotion {
  readonly automatic: boolean
  readonly start: string
  readonly end: string
}

/** How many codes the promotion can have. */
export function mostCodes({ start, end }: CodedPromotion): number {
  return instantOf(end) - instantOf(start) <= shortMs ? codesMaxOfShort : codesMax
}
