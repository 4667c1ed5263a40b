import type { FilterRule } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { promotions } from './promotions.ts'

/** What the module of their codes, which is below, adds to standard promotions. */
export interface CodeRules {
  /** Find promotions by their codes and the orders that used them. */
  readonly filters: Readonly<Record<string, FilterRule>>
  /** What must happen before a promotion that has ended gets a later end. May refuse it. */
  readonly beforeRestart: (work: Work, promotionId: string) => Promise<void>
}

export const promotionsWithCodes = ({ filters, beforeRestart }: CodeRules): typeof promotions => ({
  ...promotions,
  filter: { ...promotions.filter, ...filters },
  async beforeWrite(work, draft) {
    await promotions.beforeWrite?.(work, draft)
    const { id, before, values } = draft
    const now = work.clock.now().getTime()
    const endOf = ({ ends_at_ms = now }: { readonly ends_at_ms?: number | undefined }) => ends_at_ms
    if (before && endOf(before.hidden) <= now && endOf(values) > now) await beforeRestart(work, id)
  },
})
