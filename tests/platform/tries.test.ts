import { expect, test } from 'vitest'
import { Tries, triesMax } from '../../server/platform/processes/tries.ts'

const waitsOf = (tries: Tries, servedMs: number, count: number) =>
  Array.from({ length: count }, () => tries.waitAfter(servedMs))

test('each end of a process that does not serve for a minute doubles the wait, until there have been enough', () => {
  const waits = waitsOf(new Tries(), 59_999, triesMax + 1)
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, undefined])
})

test('a process that has served for a minute begins again with the shortest wait', () => {
  const tries = new Tries()
  waitsOf(tries, 0, triesMax)
  expect(waitsOf(tries, 60_000, triesMax + 5)).toEqual(Array(triesMax + 5).fill(100))
  expect(tries.waitAfter(0)).toBe(200)
})
