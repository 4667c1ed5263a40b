import { setImmediate } from 'node:timers/promises'

/** A computation that may take long. It yields where other work may run. */
export type Steps<T> = Generator<void, T>

/** As long as steps take well below a millisecond, no one waits long. */
const stepsAtOnce = 32

/** For longer steps. */
const atOnceMs = 2

/** Runs a computation and returns its result. Other work of the process runs between its steps. */
export async function runInSteps<T>(steps: Steps<T>): Promise<T> {
  let beganMs = performance.now()
  for (let n = 1; ; n++) {
    const { done, value } = steps.next()
    if (done) return value
    if (n % stepsAtOnce && performance.now() - beganMs < atOnceMs) continue
    await setImmediate()
    beganMs = performance.now()
  }
}
