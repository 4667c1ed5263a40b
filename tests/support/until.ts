import { setTimeout } from 'node:timers/promises'

/** What is asked for, as soon as it is there: as long as there is nothing, it is asked for again. */
export async function until<T>(ask: () => Promise<T | undefined>, timeoutMs = 40_000): Promise<T> {
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const result = await ask()
    if (result !== undefined) return result
    if (performance.now() > endsAt) throw new Error(`not even after ${timeoutMs} ms`)
    await setTimeout(20)
  }
}
