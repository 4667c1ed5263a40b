import { expect, test } from 'vitest'
import { RefusalPace } from '../../../server/kernel/load/refusal-pace.ts'

/** How long so many refusals at one moment are held. */
function heldMs(count: number, nowMs = 0, pace = new RefusalPace(() => nowMs)): number[] {
  return Array.from({ length: count }, () => pace.nextMs())
}

test('a few refusals go out at once, and many one after the other, each within a second', () => {
  expect(heldMs(3)).toEqual([0, 1, 2])
  const many = heldMs(5000)
  expect([many[500], many.at(-1)]).toEqual([500, 1000])
})

test('after a pause they go out at once again', () => {
  let nowMs = 0
  const pace = new RefusalPace(() => nowMs)
  heldMs(500, 0, pace)
  nowMs = 400
  expect(pace.nextMs()).toBe(100)
  nowMs = 600
  expect(pace.nextMs()).toBe(0)
})
