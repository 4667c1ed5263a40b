import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  changeBy,
  changes,
  changesOf,
  changeToTotal,
  changeToZero,
  type Level,
  totalOf,
} from '../../../server/assortment/inventories/movements.ts'

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

test('any change is recorded as positive actions that add up to it', () => {
  fc.assert(
    fc.property(delta, fc.constantFrom(...changes), (adds, action) => {
      const changes = changesOf(adds, action)
      const all = changes.map(([change, n]) => changeBy[change](n)).reduce(sum, nothing)
      expect(sum(all, nothing)).toEqual(sum(adds, nothing))
      if (adds.available || adds.allocated) expect(changes.every(([, n]) => n > 0)).toBe(true)
      else expect(changes).toEqual([[action, 0]])
    }),
  )
})

test('a change by one action is recorded as that action', () => {
  for (const change of changes) expect(changesOf(changeBy[change](7), 'increment')).toEqual([[change, 7]])
  expect(changesOf(changeBy.ship(7), 'increment')).toEqual([
    ['deallocate', 7],
    ['decrement', 7],
  ])
})

test('a change to a total results in that total', () => {
  fc.assert(
    fc.property(level, count, (before, n) => {
      const after = sum(before, changeToTotal(n, before))
      expect([totalOf(after), after.allocated]).toEqual([n, before.allocated])
      expect(sum(before, changeToZero(before))).toEqual(nothing)
    }),
  )
})
