import { expect } from 'vitest'

const sizes = [1000, 4000, 16_000]

/** Faster work is not compared: noise is as large. */
const noiseMs = 60

/**
 * Expects that the work on a text grows in proportion to its length. Four times the text takes four times as long where
 * the work is linear, and sixteen times where it is quadratic.
 */
export function expectLinear(work: (text: string) => unknown, textOf: (size: number) => string): void {
  let before = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const text = textOf(size)
    const most = Math.max(before * 10, noiseMs)
    let ms = timeOf(() => work(text))
    // A garbage collection may disturb a run.
    for (let i = 0; ms > most && i < 3; i++)
      ms = Math.min(
        ms,
        timeOf(() => work(text)),
      )
    expect(ms, `${size} characters of ${text.slice(0, 20)}`).toBeLessThanOrEqual(most)
    before = Math.max(ms, noiseMs / 10)
  }
}

function timeOf(work: () => unknown): number {
  // Processor time, as other processes may run meanwhile.
  const beganAt = process.cpuUsage()
  try {
    work()
  } catch {
    // A refusal takes time too.
  }
  const { user, system } = process.cpuUsage(beganAt)
  return (user + system) / 1000
}
