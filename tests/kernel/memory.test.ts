import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Memory } from '../../server/kernel/memory.ts'
import { tries } from '../support/long.ts'

/** What a memory is to be, as slow as it is plain: the things in the order they were used in. */
class Oracle {
  things: { key: number; value: number; setAtMs: number }[] = []
  readonly sizeMax: number
  readonly ageMaxMs: number
  readonly sizeOf: (key: number, value: number) => number
  readonly forgotten: (readonly [key: number, value: number])[] = []

  constructor(sizeMax: number, ageMaxMs: number, sizeOf: Oracle['sizeOf']) {
    this.sizeMax = sizeMax
    this.ageMaxMs = ageMaxMs
    this.sizeOf = sizeOf
  }

  get size(): number {
    return this.things.reduce((sum, { key, value }) => sum + this.sizeOf(key, value), 0)
  }

  get(key: number, nowMs: number): number | undefined {
    const entry = this.things.find((thing) => thing.key === key)
    this.delete(key)
    if (!entry || nowMs - entry.setAtMs >= this.ageMaxMs) return undefined
    this.things.push(entry)
    return entry.value
  }

  set(key: number, value: number, nowMs: number): void {
    this.delete(key)
    const size = this.sizeOf(key, value)
    if (size > this.sizeMax) return
    while (this.size + size > this.sizeMax) {
      const [first] = this.things.splice(0, 1)
      if (first) this.forgotten.push([first.key, first.value])
    }
    this.things.push({ key, value, setAtMs: nowMs })
  }

  delete(key: number): void {
    this.things = this.things.filter((thing) => thing.key !== key)
  }
}

const key = fc.nat({ max: 7 })
const step = fc.oneof(
  fc.record({ do: fc.constant('get' as const), key }),
  fc.record({ do: fc.constant('set' as const), key, value: fc.nat() }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 6 }) }),
)

describe('a memory', () => {
  test.each([
    ['without an age', Number.POSITIVE_INFINITY, undefined],
    ['with an age', 10, undefined],
    ['with sizes', Number.POSITIVE_INFINITY, (key: number, value: number) => 1 + ((key + value) % 4)],
  ])('%s remembers what a plain one remembers, and forgets in its order', (_, ageMaxMs, sizeOf) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (sizeMax, steps) => {
        const oracle = new Oracle(sizeMax, ageMaxMs, sizeOf ?? (() => 1))
        const forgotten: (readonly [number, number])[] = []
        let nowMs = 0
        const clock = { now: () => new Date(nowMs) }
        const memory = new Memory<number, number>(sizeMax, {
          ...(Number.isFinite(ageMaxMs) && { age: { maxMs: ageMaxMs, clock } }),
          ...(sizeOf && { sizeOf }),
          onForgotten: (key, value) => forgotten.push([key, value]),
        })
        for (const one of steps) {
          if (one.do === 'get') expect(memory.get(one.key)).toBe(oracle.get(one.key, nowMs))
          else if (one.do === 'set') {
            memory.set(one.key, one.value)
            oracle.set(one.key, one.value, nowMs)
          } else if (one.do === 'delete') {
            memory.delete(one.key)
            oracle.delete(one.key)
          } else nowMs += one.ms
          expect(memory.size).toBe(oracle.things.length)
          expect(forgotten).toEqual(oracle.forgotten)
        }
      }),
      { numRuns: tries(400, 2000) },
    )
  })
})
