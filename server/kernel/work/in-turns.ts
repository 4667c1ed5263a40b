/** A computation that may take long. It yields where other work may run. */
export type Steps<T> = Generator<void, T>

/** As long as steps take well below a millisecond, no one waits long. */
const stepsAtOnce = 32

/** For longer steps. */
const atOnceMs = 2

/** Computations that wait for their turn, in order. The process has one event loop, and so one queue. */
const waiting: (() => void)[] = []

/** Runs a computation and returns its result. Other work of the process runs between its steps. */
export async function runInSteps<T>(steps: Steps<T>): Promise<T> {
  let beganMs = performance.now()
  for (let n = 1; ; n++) {
    const { done, value } = steps.next()
    if (done) return value
    if (n % stepsAtOnce && performance.now() - beganMs < atOnceMs) continue
    await nextTurn()
    beganMs = performance.now()
  }
}

/** Waits for a turn of the event loop. Each has one computation, so other work waits no longer beside many of them. */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (waiting.push(resolve) === 1) setImmediate(giveTurn)
  return promise
}

function giveTurn(): void {
  waiting.shift()?.()
  if (waiting.length) setImmediate(giveTurn)
}
