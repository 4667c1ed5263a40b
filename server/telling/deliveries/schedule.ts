/** The delays before the second attempt and those after it. */
const delaysMs = [10_000, 60_000, 300_000, 900_000]

/** By how much of a delay the next attempt may begin earlier or later: endpoints that return do not get all at once. */
const jitter = 0.2

/** How long after this many attempts the next one begins; undefined if there is none. `random` is from 0 to 1. */
export function delayAfterMs(attempts: number, random: number): number | undefined {
  const delay = delaysMs[attempts - 1]
  return delay === undefined ? undefined : Math.round(delay * (1 + jitter * (2 * random - 1)))
}

/** When an integration is paused: so many dead jobs, or so long a time, without a success in between. */
export const pauseAfter = { dead: 20, failingMs: 86_400_000 } as const

/** How long a claimed job belongs to its process: an attempt, and the time to record it. */
export const leaseMs = 20_000
