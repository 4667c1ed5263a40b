import type { Action } from '../../kernel/declare/action.ts'
import { EditionGone } from '../publishing/editions.ts'

const triesMax = 5

/** Makes a call start over if its edition is rolled back while it reads. */
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
