import { Problem } from '../errors.ts'

/**
 * Runs `work` with a signal that aborts after the time limit, or when `hungUp` aborts. If the limit ends a
 * statement, the request is refused (422).
 */
export async function withTimeout<T>(
  ms: number,
  hungUp: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort(hungUp.reason)
  const timer = setTimeout(() => controller.abort(timedOut(ms)), ms)
  if (hungUp.aborted) abort()
  hungUp.addEventListener('abort', abort, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    hungUp.removeEventListener('abort', abort)
  }
}

const timedOut = (ms: number) =>
  new Problem(
    'timed_out',
    `The request took longer than ${ms / 1000} seconds. Narrow the request, or try again later.`,
  )
