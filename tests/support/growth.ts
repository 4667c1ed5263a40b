import { expect } from 'vitest'

const sizes = [1000, 4000, 16_000]

/** What is faster than this is not compared: noise is as large. */
const noiseMs = 60

/**
 * Expects work on a text to grow about as the text does. Four times the text takes four times as long where the work is
 * linear, and sixteen times where it is quadratic.
 */
export function expectLinear(work: (text: string) => unknown, textOf: (size: number) => string): void {
  let before = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const text = textOf(size)
    const most = Math.max(before * 10, noiseMs)
    let ms = timeOf(() => work(text))
    // Garbage may have been collected meanwhile.
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
  // Of the processor: others may have it meanwhile.
  const beganAt = process.cpuUsage()
  try {
    work()
  } catch {
    // A refusal takes its time, too.
  }
  const { user, system } = process.cpuUsage(beganAt)
  return (user + system) / 1000
}
