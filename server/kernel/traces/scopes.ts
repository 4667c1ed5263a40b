import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import type { Timings } from './timings.ts'

/** What code runs for: a span, and the request whose time is measured. */
export interface TraceScope {
  /** The context of the span. Undefined where there is no trace. */
  readonly context: Context | undefined
  readonly timings: Timings | undefined
}

const scopes = new AsyncLocalStorage<TraceScope>()

/** Undefined where the code runs for no request and no job, as timers of the server do. */
export const currentScope = (): TraceScope | undefined => scopes.getStore()

export const runIn = <T>(scope: TraceScope, run: () => T): T => scopes.run(scope, run)

/** What the current request has waited for. Nothing is measured after its response. */
export function currentTimings(): Timings | undefined {
  const timings = scopes.getStore()?.timings
  return timings?.isOver ? undefined : timings
}

/**
 * Runs what is no work of this server, or what has a limit of its own. Meanwhile the request does not count as being at
 * work, so that others are not refused for it.
 */
export async function outOfPlace<T>(run: () => Promise<T>): Promise<T> {
  const place = currentTimings()?.place
  if (!place) return run()
  place.pause()
  try {
    return await run()
  } finally {
    place.resume()
  }
}
