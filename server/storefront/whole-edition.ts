import type { Action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'

/** The edition was taken back while it was read: its release was deleted. What was read may be of two editions. */
export class EditionGone extends Problem {
  constructor() {
    super('unavailable', 'The release was deleted while it was read: send the request again.')
  }
}

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
