import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  added,
  addedToBe,
  addedToEnd,
  changes,
  changesOf,
  type Level,
  totalOf,
} from '../../server/inventories/movements.ts'

const sum = (one: Level, other: Level): Level => ({
  available: one.available + other.available,
  allocated: one.allocated + other.allocated,
})
const nothing: Level = { available: 0, allocated: 0 }
const count = fc.integer({ min: 0, max: 100 })
const level = fc.record({ available: count, allocated: count })
const delta = fc.record({
  available: fc.integer({ min: -100, max: 100 }),
  allocated: fc.integer({ min: -100, max: 100 }),
})

test('whatever is added is told in changes that add up to it, each of more than nothing', () => {
  fc.assert(
    fc.property(delta, fc.constantFrom(...changes), (adds, asked) => {
      const told = changesOf(adds, asked)
      const all = told.map(([change, n]) => added[change](n)).reduce(sum, nothing)
      expect(sum(all, nothing)).toEqual(sum(adds, nothing))
      if (adds.available || adds.allocated) expect(told.every(([, n]) => n > 0)).toBe(true)
      else expect(told).toEqual([[asked, 0]])
    }),
  )
})

test('each change is told as itself', () => {
  for (const change of changes) expect(changesOf(added[change](7), 'increment')).toEqual([[change, 7]])
  expect(changesOf(added.ship(7), 'increment')).toEqual([
    ['deallocate', 7],
    ['decrement', 7],
  ])
})

test('what is to be is what comes out', () => {
  fc.assert(
    fc.property(level, count, (before, n) => {
      const after = sum(before, addedToBe(n, before))
      expect([totalOf(after), after.allocated]).toEqual([n, before.allocated])
      expect(sum(before, addedToEnd(before))).toEqual(nothing)
    }),
  )
})
