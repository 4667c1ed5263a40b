import { isWithinRate, mustHaveRateLeft, type rates } from '../../server/kernel/attempts/rates.ts'
import type { World } from './world.ts'

/** Uses up the rate limit of this machine, with its window still open. */
export function useUp({ work }: World, rate: keyof typeof rates): void {
  const who = { ...work.who, kind: 'nobody' }
  const asker = Object.assign(Object.create(work), { who, clientAddress: '127.0.0.1' })
  for (;;) {
    try {
      mustHaveRateLeft(asker, rate)
    } catch {
      return
    }
    isWithinRate(asker, rate)
  }
}
