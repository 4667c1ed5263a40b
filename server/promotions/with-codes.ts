import type { FilterRule } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { promotions } from './promotions.ts'

/** What the module of their codes, which is below, adds to standard promotions. */
export interface CodeRules {
  /** Finds the promotions that have a code. */
  readonly byCode: FilterRule
  /** What must happen before a promotion that has ended gets a later end. May refuse it. */
  readonly beforeRestart: (work: Work, promotionId: string) => Promise<void>
}

export const promotionsWithCodes = ({ byCode, beforeRestart }: CodeRules): typeof promotions => ({
  ...promotions,
  filter: { ...promotions.filter, code: byCode },
  async beforeWrite(work, draft) {
    await promotions.beforeWrite?.(work, draft)
    const { id, before, values } = draft
    const now = work.clock.now().getTime()
    const endOf = ({ ends_at_ms = now }: { readonly ends_at_ms?: number | undefined }) => ends_at_ms
    if (before && endOf(before.hidden) <= now && endOf(values) > now) await beforeRestart(work, id)
  },
})
