import { Problem } from '../../errors.ts'
import { isOutage, readOnlyState, sqlState } from '../database.ts'
import { isOutOfSpace } from '../disk-space.ts'

export const outage = (cause: unknown, detail = 'The database is not reachable.') =>
  new Problem('unavailable', detail, { cause })

/** What a caller is told of a failed statement. */
export function refusalOf(error: unknown): unknown {
  if (!isOutage(error)) return error
  if (isOutOfSpace(error)) return outage(error, 'The database has no disk space left.')
  if (sqlState(error) === readOnlyState) return outage(error, 'The database accepts no writes.')
  return isLate(error) ? outage(error, 'The database did not respond in time.') : outage(error)
}

const isLate = (error: unknown) => (error as Error | undefined)?.message === 'Query read timeout'

/** Whether a statement took longer than its limit. */
export const isTimeout = (error: unknown): boolean => error instanceof Problem && isLate(error.cause)

// After such a failure the connection is given up. Not after a full disk: the connection is fine, and a new one may be
// hard to get.
export const isUnavailable = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'unavailable' && !isOutOfSpace(error.cause)

/** A cancelled statement. */
export const isCancelled = (error: unknown) => sqlState(error) === '57014'
