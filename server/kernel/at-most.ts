import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for `work`, but no longer than `ms`. Returns whether it has ended. */
export const atMost = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), sleep(ms, false, { ref: false })])
