import { describe, expect, test } from 'vitest'
import { RecentKeys } from '../../server/personal-data/recent-keys.ts'

describe('a key', () => {
  test('is new again when its time has passed since it was new', () => {
    const recent = new RecentKeys(1000, 10)
    expect([0, 1, 999, 1000, 1001, 1999, 2000].map((ms) => recent.add('a', ms))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ])
  })

  test('is remembered after half of the maximum of other keys, and forgotten after the maximum', () => {
    const keysMax = 1000
    const isRecentAfter = (others: number) => {
      const recent = new RecentKeys(1000, keysMax)
      recent.add('a', 0)
      for (let i = 0; i < others; i++) recent.add(`other ${i}`, 0)
      return !recent.add('a', 0)
    }
    expect([keysMax / 2, keysMax - 1, keysMax, 2 * keysMax].map(isRecentAfter)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
