import type { Steps } from '../../server/kernel/work/in-turns.ts'

/** The result of a computation, without its pauses. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
