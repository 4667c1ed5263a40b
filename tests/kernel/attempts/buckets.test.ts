import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Buckets,
  fullBucket,
  isOpen,
  secondsUntilOpen,
  take,
  unitsLeft,
  weightMax,
} from '../../../server/kernel/attempts/buckets.ts'

/** A token bucket as books describe it, in thousandths of a unit, which are whole numbers for whole milliseconds. */
class BookBucket {
  readonly #rate: number
  #thousandths: number
  #atMs = 0

  constructor(rate: number) {
    this.#rate = rate
    this.#thousandths = rate * 1000
  }

  leftAt(nowMs: number): number {
    const refill = this.#rate * (nowMs - this.#atMs)
    this.#thousandths = Math.min(this.#rate * 1000, this.#thousandths + refill)
    this.#atMs = nowMs
    return this.#thousandths / 1000
  }

  take(weight: number, nowMs: number): void {
    this.leftAt(nowMs)
    this.#thousandths -= weight * 1000
  }
}

const rates = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 99_999 }))
const weights = fc.constantFrom(1, 2, 3, weightMax)
const arrivals = fc.array(fc.tuple(fc.oneof(fc.nat(30), fc.nat(3000)), weights), {
  minLength: 1,
  maxLength: 200,
})

test('a bucket lets in what a token bucket does, and has the same units left', () => {
  fc.assert(
    fc.property(rates, arrivals, (rate, requests) => {
      const book = new BookBucket(rate)
      let [bucket, nowMs] = [fullBucket, 0]
      for (const [afterMs, weight] of requests) {
        nowMs += afterMs
        const left = book.leftAt(nowMs)
        expect(unitsLeft(bucket, rate, nowMs)).toBeCloseTo(left, 3)
        // Nothing says on which side of nothing a rounded number is.
        if (Math.abs(left) > 1e-3) expect(isOpen(bucket, nowMs)).toBe(left > 0)
        if (!isOpen(bucket, nowMs)) continue
        bucket = take(bucket, weight, rate, nowMs)
        book.take(weight, nowMs)
      }
    }),
  )
})

test('in no span of time is more let in than the rate, one second of it, and the last request', () => {
  fc.assert(
    fc.property(rates, arrivals, (rate, requests) => {
      const letIn: { readonly atMs: number; readonly weight: number }[] = []
      let [bucket, nowMs] = [fullBucket, 0]
      for (const [afterMs, weight] of requests) {
        nowMs += afterMs
        if (!isOpen(bucket, nowMs)) continue
        bucket = take(bucket, weight, rate, nowMs)
        letIn.push({ atMs: nowMs, weight })
      }
      for (const [first, { atMs: fromMs }] of letIn.entries()) {
        let units = 0
        for (const { atMs, weight } of letIn.slice(first)) {
          units += weight
          expect(units).toBeLessThan((rate * (atMs - fromMs)) / 1000 + rate + weight + 0.001)
        }
      }
    }),
  )
})

test('a closed bucket is open after the seconds that it names, and not a whole second before', () => {
  fc.assert(
    fc.property(
      rates,
      fc.array(weights, { minLength: 1, maxLength: 60 }),
      fc.nat(5000),
      (rate, all, afterMs) => {
        let bucket = fullBucket
        for (const weight of all) bucket = take(bucket, weight, rate, 0)
        const seconds = secondsUntilOpen(bucket, afterMs)
        expect(isOpen(bucket, afterMs)).toBe(seconds === 0)
        expect(isOpen(bucket, afterMs + seconds * 1000 - 1)).toBe(true)
        if (seconds > 1) expect(isOpen(bucket, afterMs + (seconds - 1) * 1000 - 4)).toBe(false)
      },
    ),
  )
})

test('a flood of names is forgotten as it goes on', () => {
  const buckets = new Buckets(1_000_000)
  let most = 0
  // Ten a millisecond, each full again after a hundred: a thousand are in use at a time.
  for (let n = 0; n < 300_000; n++) {
    const nowMs = Math.floor(n / 10)
    buckets.set(`address ${n}`, take(fullBucket, 1, 10, nowMs), nowMs)
    most = Math.max(most, buckets.size)
  }
  expect(most).toBeGreaterThan(900)
  expect(most).toBeLessThan(2500)
})

test('there are never more buckets than may be, also if none is full', () => {
  const buckets = new Buckets(1000)
  for (let n = 0; n < 10_000; n++) {
    buckets.set(`address ${n}`, 5000, 0)
    expect(buckets.size).toBeLessThanOrEqual(1000)
  }
  expect(isOpen(buckets.get('address 9999'), 0)).toBe(false)
})
