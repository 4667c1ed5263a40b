import type { Steps } from '../../server/kernel/work/in-turns.ts'

/** What a computation comes to, without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
