import type { Work } from '../kernel/work/context.ts'
import { promotions } from './promotions.ts'

/** What must happen before a promotion that has ended gets a later end. May refuse it. */
export type BeforeRestart = (work: Work, promotionId: string) => Promise<void>

/** The resource, with the rule of a module below. */
export const promotionsWith = (beforeRestart: BeforeRestart): typeof promotions => ({
  ...promotions,
  async beforeWrite(work, draft) {
    await promotions.beforeWrite?.(work, draft)
    const { id, before, values } = draft
    const now = work.clock.now().getTime()
    const endOf = ({ ends_at_ms = now }: { readonly ends_at_ms?: number | undefined }) => ends_at_ms
    if (before && endOf(before.hidden) <= now && endOf(values) > now) await beforeRestart(work, id)
  },
})
