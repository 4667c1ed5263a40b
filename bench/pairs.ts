import { loadavg } from 'node:os'

/** What the runs of two kinds of work took, in milliseconds. */
export interface Pair {
  readonly ours: readonly number[]
  readonly other: readonly number[]
}

type Work = () => Promise<unknown>

/**
 * Times two kinds of work in turns, so that a busy moment of the machine affects both alike. `ready` runs before
 * each of ours, and is not timed.
 */
export async function inTurns(rounds: number, ours: Work, other: Work, ready?: Work): Promise<Pair> {
  const pair: { ours: number[]; other: number[] } = { ours: [], other: [] }
  // The first runs prepare statements and compile code.
  const warm = Math.min(20, rounds)
  for (let round = -warm; round < rounds; round++) {
    await ready?.()
    const isFirst = round % 2 === 0
    const before = isFirst ? undefined : await timeOf(other)
    const ourTime = await timeOf(ours)
    const otherTime = before ?? (await timeOf(other))
    if (round < 0) continue
    pair.ours.push(ourTime)
    pair.other.push(otherTime)
  }
  return pair
}

export async function timeOf(work: Work): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The value below which a part of the times is. */
export function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

export const median = (times: readonly number[]): number => quantile(times, 0.5)

export const p95 = (times: readonly number[]): number => quantile(times, 0.95)

export const ms = (time: number): string => time.toFixed(time < 10 ? 2 : 1)

export const ratio = (one: number, other: number): string => (one / other).toFixed(2)

/** A row of a table: the medians and 95th percentiles of both, and the ratios of these. */
export const pairCells = ({ ours, other }: Pair): readonly string[] => [
  `${ms(median(ours))}, ${ms(p95(ours))}`,
  `${ms(median(other))}, ${ms(p95(other))}`,
  ratio(median(ours), median(other)),
  ratio(p95(ours), p95(other)),
]

export const printRow = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** How much the machine does: the runs of one table are only comparable with each other. */
export const printLoad = (): void =>
  void process.stdout.write(
    `load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(', ')} at ${new Date().toISOString()}\n`,
  )
