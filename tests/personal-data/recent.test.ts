import { describe, expect, test } from 'vitest'
import { Recent } from '../../server/personal-data/recent.ts'

describe('a key', () => {
  test('is met anew when its time has passed, counted from when it was new', () => {
    const recent = new Recent(1000, 10)
    expect([0, 1, 999, 1000, 1001, 1999, 2000].map((ms) => recent.meet('a', ms))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ])
  })

  test('is remembered while half as many others as may be come after it, and not when as many do', () => {
    const keysMax = 1000
    const metAgainAfter = (others: number) => {
      const recent = new Recent(1000, keysMax)
      recent.meet('a', 0)
      for (let i = 0; i < others; i++) recent.meet(`other ${i}`, 0)
      return !recent.meet('a', 0)
    }
    expect([keysMax / 2, keysMax - 1, keysMax, 2 * keysMax].map(metAgainAfter)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
