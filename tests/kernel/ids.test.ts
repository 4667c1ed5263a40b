import { expect, test, vi } from 'vitest'
import { systemClock } from '../../server/kernel/clock.ts'
import { newId } from '../../server/kernel/ids.ts'

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids sort in the order in which they are made, and begin with the time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, newId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(uuidV7)
  const times = ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
  expect(times[0]).toBeGreaterThanOrEqual(before)
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now())
})

test('ids still sort when the clock is set back', () => {
  const first = newId()
  const clock = vi.spyOn(systemClock, 'now').mockReturnValue(new Date(Date.now() - 60_000))
  const later = [newId(), newId()]
  clock.mockRestore()
  expect([first, ...later].toSorted()).toEqual([first, ...later])
})

test('ids of the same instant have random bytes of their own', () => {
  const ends = Array.from({ length: 1000 }, () => newId().slice(-10))
  expect(new Set(ends).size).toBe(ends.length)
})
