import { Problem } from '../errors.ts'

/**
 * Runs `work` with a signal that aborts with `asker` or after the time limit. Statements that the limit ends refuse the
 * request.
 */
export async function withTimeout<T>(
  ms: number,
  asker: AbortSignal,
  work: (asker: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const hangUp = () => controller.abort(asker.reason)
  const timer = setTimeout(() => controller.abort(timedOut(ms)), ms)
  if (asker.aborted) hangUp()
  asker.addEventListener('abort', hangUp, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    asker.removeEventListener('abort', hangUp)
  }
}

const timedOut = (ms: number) =>
  new Problem(
    'timed_out',
    `The request took longer than ${ms / 1000} seconds. Narrow the request, or try again later.`,
  )
