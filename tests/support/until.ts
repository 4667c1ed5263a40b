import { setTimeout } from 'node:timers/promises'

/** Asks again and again until there is a result. */
export async function until<T>(ask: () => Promise<T | undefined>, timeoutMs = 40_000): Promise<T> {
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const result = await ask()
    if (result !== undefined) return result
    if (performance.now() > endsAt) throw new Error(`not even after ${timeoutMs} ms`)
    await setTimeout(20)
  }
}
