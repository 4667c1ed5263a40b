import type { Action } from '../kernel/declare/action.ts'
import { EditionGone } from '../publishing/index.ts'

const triesMax = 5

/** A call that shows what is published: again, from its beginning, where the edition is gone before it was all read. */
export const ofWholeEdition = (declared: Action): Action => ({
  ...declared,
  async run(ctx, call) {
    for (let tries = 1; ; tries++) {
      try {
        return await declared.run(ctx, call)
      } catch (error) {
        if (!(error instanceof EditionGone) || tries === triesMax) throw error
      }
    }
  },
})
