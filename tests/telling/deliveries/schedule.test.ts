import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slots } from '../../../server/kernel/work/slots.ts'
import { delayAfterMs } from '../../../server/telling/deliveries/schedule.ts'
import { tries } from '../../support/long.ts'

test('attempts follow each other after 10 seconds, 1, 5 and 15 minutes, and then there is none', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((attempts) => delayAfterMs(attempts, 0.5))
  expect(delays).toEqual([10_000, 60_000, 300_000, 900_000, undefined, undefined])
})

test('delays differ by a fifth at most', () => {
  expect([0, 1].map((random) => delayAfterMs(1, random))).toEqual([8_000, 12_000])
  expect([0, 1].map((random) => delayAfterMs(4, random))).toEqual([720_000, 1_080_000])
})

const limits = { shared: 3, forLong: 1, perOwner: 3, total: 100 }
const inTime = { isSlow: false, processingTimeS: 0.1 }
const late = { isSlow: true, processingTimeS: 10 }

test('each endpoint has a slot of its own, also when others have taken all the shared ones', () => {
  const slots = new Slots(limits)
  expect([slots.take('a', 9), slots.take('b', 9), slots.take('c', 9), slots.take('d', 9)]).toEqual([
    3, 2, 1, 1,
  ])
  expect(slots.take('a', 9)).toBe(0)
  slots.give('a', 2)
  expect([slots.take('c', 9), slots.take('d', 9)]).toEqual([2, 0])
})

test('an endpoint that did not answer in time has one slot until it answers', () => {
  const slots = new Slots(limits)
  slots.note('a', late)
  expect([slots.take('a', 9), slots.take('a', 9)]).toEqual([1, 0])
  for (let i = 0; i < 20; i++) slots.note('a', inTime)
  expect(slots.take('a', 9)).toBe(2)
})

test('endpoints that answer in time, but late, share a part; a quick answer in between changes nothing', () => {
  const slots = new Slots({ ...limits, shared: 9 })
  const long = { isSlow: false, processingTimeS: 9 }
  for (const endpoint of ['a', 'b']) for (const answered of [long, inTime]) slots.note(endpoint, answered)
  expect([slots.take('a', 9), slots.take('b', 9), slots.take('c', 9)]).toEqual([2, 1, 3])
  slots.give('a')
  expect(slots.take('b', 9)).toBe(1)
  for (let i = 0; i < 20; i++) slots.note('a', inTime)
  expect(slots.take('a', 9)).toBe(2)
})

test('the total is bounded', () => {
  const slots = new Slots({ ...limits, total: 2 })
  expect([slots.take('a', 1), slots.take('b', 1), slots.take('c', 1)]).toEqual([1, 1, 0])
})

test('slots are never lost and never too many', () => {
  const step = fc.record({
    endpoint: fc.constantFrom('a', 'b', 'c', 'd'),
    most: fc.integer({ min: 1, max: 5 }),
    slow: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const slots = new Slots(limits)
      const taken = new Map<string, number>()
      for (const { endpoint, most, slow } of steps) {
        const had = taken.get(endpoint) ?? 0
        if (slow && had) {
          slots.note(endpoint, { isSlow: most > 3, processingTimeS: most })
          slots.give(endpoint)
          taken.set(endpoint, had - 1)
        } else {
          const got = slots.take(endpoint, most)
          if (!had) expect(got).toBeGreaterThan(0)
          taken.set(endpoint, had + got)
        }
        const used = [...taken.values()]
        expect(slots.used).toBe(used.reduce((sum, n) => sum + n, 0))
        expect(used.reduce((sum, n) => sum + Math.max(0, n - 1), 0)).toBeLessThanOrEqual(limits.shared)
        expect(Math.max(...used)).toBeLessThanOrEqual(limits.perOwner)
      }
      for (const [endpoint, n] of taken) if (n) slots.give(endpoint, n)
      expect(slots.used).toBe(0)
    }),
    { numRuns: tries(200, 5_000) },
  )
})
