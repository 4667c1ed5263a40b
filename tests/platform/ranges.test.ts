import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rangeOf } from '../../server/platform/sockets/ranges.ts'
import { tries } from '../support/long.ts'

test.each<[header: string | undefined, bytes: number, answer: ReturnType<typeof rangeOf>]>([
  [undefined, 10, undefined],
  ['bytes=0-0', 10, { first: 0, last: 0 }],
  ['bytes=0-9', 10, { first: 0, last: 9 }],
  ['BYTES=2-', 10, { first: 2, last: 9 }],
  ['bytes=9-99999999999999999999999', 10, { first: 9, last: 9 }],
  ['bytes=-3', 10, { first: 7, last: 9 }],
  ['bytes=-30', 10, { first: 0, last: 9 }],
  ['bytes= 1 - 2 ', 10, { first: 1, last: 2 }],
  ['bytes=10-', 10, 'beyond'],
  ['bytes=10-11', 10, 'beyond'],
  ['bytes=-0', 10, 'beyond'],
  ['bytes=3-2', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['lines=0-1', 10, undefined],
  ['bytes=0-', 0, undefined],
])('%s of %d bytes', (header, bytes, answer) => {
  expect(rangeOf(header, bytes)).toEqual(answer)
})

/** RFC 9110 §14.1.2, byte by byte: those that are asked for, of those that there are. */
function slowly(from: number | undefined, to: number | undefined, bytes: number): number[] {
  const all = Array.from({ length: bytes }, (_, i) => i)
  if (from === undefined) return to ? all.slice(-to) : []
  return all.filter((i) => i >= from && (to === undefined || i <= to))
}

test('any range has exactly the requested bytes', () => {
  const place = fc.option(fc.nat(30), { nil: undefined })
  fc.assert(
    fc.property(place, place, fc.integer({ min: 1, max: 20 }), (from, to, bytes) => {
      if (from === undefined && to === undefined) return
      const answer = rangeOf(`bytes=${from ?? ''}-${to ?? ''}`, bytes)
      const expected = slowly(from, to, bytes)
      if (from !== undefined && to !== undefined && to < from) expect(answer).toBeUndefined()
      else if (!expected.length) expect(answer).toBe('beyond')
      else expect(answer).toEqual({ first: expected[0], last: expected.at(-1) })
    }),
    { numRuns: tries(200, 1000) },
  )
})

test('a header is read in linear time', () => {
  const cost = (spaces: number) => {
    const header = `bytes=${' '.repeat(spaces)}-${' '.repeat(spaces)}x`
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) rangeOf(header, 10)
    return performance.now() - startedAt
  }
  const least = (spaces: number) => Math.min(...Array.from({ length: 5 }, () => cost(spaces)))
  // Four times the length: 4 in linear time, 16 in quadratic, 64 in cubic.
  expect(least(8000) / least(2000)).toBeLessThan(12)
})
