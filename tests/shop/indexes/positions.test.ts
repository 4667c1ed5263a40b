import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf } from '../../../server/shop/indexes/index-orders.ts'
import { PositionSet } from '../../../server/shop/indexes/position-set.ts'
import { numbersIn, numbersOfId, ProductIds } from '../../../server/shop/indexes/product-ids.ts'

const size = 100
const positions = fc.uniqueArray(fc.nat(size - 1))
const listOf = (set: PositionSet): number[] => {
  const list: number[] = []
  set.forEach((position) => {
    list.push(position)
  })
  return list
}

test('sets of positions are as sets of numbers', () => {
  fc.assert(
    fc.property(positions, positions, fc.integer({ min: 0, max: 60 }), (some, more, shorter) => {
      const less = more.filter((position) => position < shorter)
      const [a, b] = [new Set(some), new Set(less)]
      const [one, other] = [PositionSet.of(some, size), PositionSet.of(less, shorter)]
      const ordered = (set: ReadonlySet<number>) => [...set].toSorted((a, b) => a - b)
      expect(listOf(one.and(other))).toEqual(ordered(a.intersection(b)))
      expect(listOf(other.or(one))).toEqual(ordered(a.union(b)))
      expect(listOf(one.without(other))).toEqual(ordered(a.difference(b)))
      expect([one.count, other.grown(size).count]).toEqual([a.size, b.size])
      expect(some.every((position) => one.has(position))).toBe(true)
      expect(other.has(size + 1)).toBe(false)
    }),
  )
  for (const size of [0, 1, 31, 32, 33, 64]) expect(PositionSet.all(size).count).toBe(size)
})

test('a page is a part of all matches, by key, then by rank', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ key: fc.nat(5), rank: fc.nat(3), isMatch: fc.boolean() })),
      fc.record({ limit: fc.nat(5), offset: fc.nat(9) }),
      fc.boolean(),
      (rows, window, hasKeys) => {
        const ordered = rows.toSorted((a, b) => a.key - b.key)
        const places = [...ordered.keys()]
        const starts = places.filter((i) => ordered[i]?.key !== ordered[i - 1]?.key)
        const matches = places.filter((i) => ordered[i]?.isMatch)
        const keyOf = (i: number) => (hasKeys ? (ordered[i]?.key as number) : 0)
        const rankOf = (i: number) => ordered[i]?.rank as number
        const expected = matches.toSorted((a, b) => keyOf(a) - keyOf(b) || rankOf(b) - rankOf(a) || a - b)
        const order = { positions: Uint32Array.from(places) }
        const page = pageOf(
          PositionSet.of(matches, rows.length),
          hasKeys ? { ...order, starts: PositionSet.of(starts, rows.length) } : order,
          { of: rankOf, highest: 3 },
          window,
        )
        expect(page).toEqual(expected.slice(window.offset, window.offset + window.limit))
      },
    ),
  )
})

const idsIn = (ids: readonly string[]) => numbersIn(`\\x${ids.join('').replaceAll('-', '')}`)

test('products are found by their ids, the last of each', () => {
  fc.assert(
    fc.property(fc.array(fc.uuid()), fc.array(fc.uuid()), (some, more) => {
      const ids = ProductIds.of(idsIn(some)).with(idsIn([...more, ...some.slice(0, 3)]))
      const all = [...some, ...more, ...some.slice(0, 3)]
      expect(all.map((_, i) => ids.idAt(i))).toEqual(all)
      const numbers = idsIn(all)
      for (const [i, id] of all.entries())
        expect(ids.positionOf(numbers, i * numbersOfId)).toBe(all.lastIndexOf(id))
      expect(ids.positionOf(idsIn(['ffffffff-ffff-4fff-bfff-ffffffffffff']), 0)).toBe(-1)
      for (let i = 1; i < all.length; i++)
        expect(Math.sign(ids.compare(i - 1, i))).toBe(
          (all[i - 1] as string) < (all[i] as string) ? -1 : all[i - 1] === all[i] ? 0 : 1,
        )
    }),
  )
})
