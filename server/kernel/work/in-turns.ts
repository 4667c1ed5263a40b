import { setImmediate } from 'node:timers/promises'

/** A computation that may take long. It yields where other work may run. */
export type Steps<T> = Generator<void, T>

/** A step takes well below a millisecond, so no one waits long. */
const stepsAtOnce = 32

/** Runs a computation and returns its result. Other work of the process runs between its steps. */
export async function runInSteps<T>(steps: Steps<T>): Promise<T> {
  for (let n = 1; ; n++) {
    const { done, value } = steps.next()
    if (done) return value
    if (n % stepsAtOnce === 0) await setImmediate()
  }
}
