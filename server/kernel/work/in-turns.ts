import { setImmediate } from 'node:timers/promises'

/** A computation that may take long: by yielding it says where others can have their turn. */
export type Steps<T> = Generator<void, T>

/** A step takes well below a millisecond, so nobody else waits for long. */
const stepsAtOnce = 32

/** What a computation comes to. All that a process has to do besides is done meanwhile. */
export async function runInSteps<T>(steps: Steps<T>): Promise<T> {
  for (let n = 1; ; n++) {
    const { done, value } = steps.next()
    if (done) return value
    if (n % stepsAtOnce === 0) await setImmediate()
  }
}
