import fc from 'fast-check'
import { expect, test } from 'vitest'
import { weightMax } from '../../../server/kernel/attempts/buckets.ts'
import { countRequest } from '../../../server/kernel/attempts/request-limits.ts'
import type { Principal } from '../../../server/kernel/auth/principal.ts'
import type { RequestRates } from '../../../server/kernel/auth/request-rates.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import type { Instance } from '../../../server/kernel/work/context.ts'

/** The time of a test, which all of its processes share. */
class TestClock {
  nowMs = 1_800_000_000_000
  now = () => new Date(this.nowMs)
}

const processOf = (clock: TestClock, processes: () => number = () => 1) =>
  ({ clock, processCount: processes }) as unknown as Instance

const server = (keyId: string, storeId = 'a store'): Principal => {
  const [kind, actor] = ['client_credentials', keyId]
  return { storeId, kind, grant: kind, keyId, actor, caller: actor }
}
const visitor = (more: Partial<Principal> = {}): Principal => ({
  ...server('a key of a storefront'),
  ...{ kind: 'implicit', grant: 'implicit' },
  ...more,
})
const person = (id: string) => visitor({ kind: 'customer', shopper: { id, claims: {}, session: {} } })

interface RequestOptions {
  readonly rates: RequestRates
  readonly weight?: number
  readonly reservedRate?: number
  readonly clientAddress?: string
  readonly isReport?: boolean
}

function send(instance: Instance, who: Principal, sent: RequestOptions) {
  let headers: Readonly<Record<string, string>> = {}
  const whole = { weight: 1, reservedRate: 0, clientAddress: '192.0.2.1', isReport: false, ...sent }
  try {
    countRequest(instance, { ...whole, who }, (set) => {
      headers = set
    })
    return { headers }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { headers, refusal: error, waitS: Number(error.headers['retry-after']) }
  }
}

/** How many of these requests are let in. */
const letIn = (n: number, one: () => ReturnType<typeof send>) =>
  Array.from({ length: n }, one).filter(({ refusal }) => !refusal).length

test('what is reserved for a key is never taken by others', () => {
  const others = fc.array(
    fc.record({
      afterMs: fc.nat(20),
      weight: fc.constantFrom(1, 2, 3, weightMax),
      key: fc.constantFrom('b', 'c'),
      reservedRate: fc.constantFrom(0, 5),
    }),
    { minLength: 50, maxLength: 300 },
  )
  fc.assert(
    fc.property(others, fc.integer({ min: 1, max: 20 }), (flood, reservedRate) => {
      const clock = new TestClock()
      const instance = processOf(clock)
      const rates = { store: 20, key: 10 }
      let dueMs = clock.nowMs
      for (const { afterMs, weight, key, reservedRate: reservedOther } of flood) {
        clock.nowMs += afterMs
        send(instance, server(key), { rates, weight, reservedRate: reservedOther })
        for (; dueMs <= clock.nowMs; dueMs += Math.ceil(1000 / reservedRate))
          expect(send(instance, server('a'), { rates, reservedRate }).refusal).toBeUndefined()
      }
    }),
    { numRuns: 50 },
  )
})

test('a key that has used up what is reserved for it shares the rest, and others go on after it', () => {
  const clock = new TestClock()
  const instance = processOf(clock)
  const rates = { store: 10 }
  expect(letIn(100, () => send(instance, server('b'), { rates }))).toBe(10)
  expect(letIn(100, () => send(instance, server('a'), { rates, reservedRate: 4 }))).toBe(4)
  clock.nowMs += 1000
  // It took from the store, too.
  expect(letIn(100, () => send(instance, server('b'), { rates }))).toBe(6)
})

test('a client that is alone and waits as long as it is told always gets in', () => {
  const flood = fc.array(fc.tuple(fc.nat(400), fc.constantFrom(1, 2, 3, weightMax)), { minLength: 100 })
  const callers = fc.constantFrom(server('a'), visitor(), person('ada'))
  const rates = fc.record(
    { store: fc.integer({ min: 1, max: 30 }), key: fc.integer({ min: 1, max: 30 }) },
    { requiredKeys: [] },
  )
  let refused = 0
  fc.assert(
    fc.property(
      flood,
      callers,
      rates,
      fc.nat(3),
      fc.constantFrom(1, 3),
      (all, who, some, reservedRate, n) => {
        const clock = new TestClock()
        const instance = processOf(clock, () => n)
        const sent = { rates: { shopper: 3, address: 5, ...some }, reservedRate }
        for (const [afterMs, weight] of all) {
          clock.nowMs += afterMs
          const first = send(instance, who, { ...sent, weight })
          if (!first.refusal) continue
          refused++
          clock.nowMs += first.waitS * 1000
          expect(send(instance, who, { ...sent, weight }).refusal).toBeUndefined()
        }
      },
    ),
  )
  expect(refused).toBeGreaterThan(100)
})

test('two processes together let in what one would; while they learn of each other, a share more or less', () => {
  const delays = fc.tuple(fc.nat(5000), fc.nat(5000))
  fc.assert(
    fc.property(delays, ([learnsMs, forgetsMs]) => {
      const clock = new TestClock()
      const [rate, beganMs] = [40, clock.nowMs]
      const [startsMs, endsMs, allMs] = [4000, 16_000, 26_000]
      const isBetween = (fromMs: number, toMs: number) => {
        const atMs = clock.nowMs - beganMs
        return atMs >= fromMs && atMs < toMs
      }
      const one = processOf(clock, () => (isBetween(startsMs + learnsMs, endsMs + forgetsMs) ? 2 : 1))
      const two = processOf(clock, () => 2)
      const counts = { alone: 0, learning: 0, both: 0, ended: 0, again: 0 }
      for (; clock.nowMs < beganMs + allMs; clock.nowMs += 5) {
        const sent = () => send(one, server('a'), { rates: { store: rate } })
        let n = letIn(1, sent)
        if (isBetween(startsMs, endsMs))
          n += letIn(1, () => send(two, server('a'), { rates: { store: rate } }))
        if (isBetween(1000, startsMs)) counts.alone += n
        if (isBetween(startsMs, 10_000)) counts.learning += n
        if (isBetween(10_000, endsMs)) counts.both += n
        if (isBetween(endsMs, 22_000)) counts.ended += n
        if (isBetween(22_000, allMs)) counts.again += n
      }
      const near = (n: number, seconds: number) => expect(Math.abs(n - rate * seconds)).toBeLessThanOrEqual(2)
      near(counts.alone, 3)
      near(counts.both, 6)
      near(counts.again, 4)
      const share = rate / 2
      // The second process begins with a full bucket.
      expect(counts.learning).toBeLessThanOrEqual(rate * 6 + share * (learnsMs / 1000) + share + 2)
      expect(counts.learning).toBeGreaterThanOrEqual(rate * 6 - 2)
      expect(counts.ended).toBeGreaterThanOrEqual(rate * 6 - share * (forgetsMs / 1000) - 2)
      expect(counts.ended).toBeLessThanOrEqual(rate * 6 + 2)
    }),
    { numRuns: 6 },
  )
})

test('nobody waits for long after keys that reserve more than the store has, or a clock that was put back', () => {
  const clock = new TestClock()
  const instance = processOf(clock)
  const rates = { store: 10 }
  for (const end = clock.nowMs + 60_000; clock.nowMs < end; clock.nowMs += 10)
    send(instance, server('a'), { rates, reservedRate: 50 })
  const longestS = 1 + weightMax / 10
  expect(send(instance, server('b'), { rates }).waitS).toBeLessThanOrEqual(longestS + 1)
  clock.nowMs -= 3_600_000
  const { waitS = 0 } = send(instance, server('b'), { rates })
  expect(waitS).toBeLessThanOrEqual(longestS + 1)
  clock.nowMs += waitS * 1000
  expect(send(instance, server('b'), { rates }).refusal).toBeUndefined()
})

test('stores, keys, shoppers and addresses have buckets of their own', () => {
  const instance = processOf(new TestClock())
  const useUp = (who: Principal, rates: RequestRates, clientAddress?: string) =>
    letIn(50, () => send(instance, who, { rates, ...(clientAddress && { clientAddress }) }))
  expect(useUp(server('a'), { store: 9, key: 5 })).toBe(5)
  expect(useUp(server('b'), { store: 9, key: 5 })).toBe(4)
  expect(useUp(server('c', 'another'), { store: 9 })).toBe(9)
  const rates = { shopper: 3, address: 2 }
  expect([useUp(person('ada'), rates), useUp(person('bob'), rates), useUp(visitor(), rates)]).toEqual([
    3, 3, 2,
  ])
  expect(useUp(visitor(), rates, '2001:db8:1:2::1')).toBe(2)
  expect(useUp(visitor(), rates, '2001:db8:1:2::ffff')).toBe(0)
  expect(useUp(visitor({ storeId: 'another' }), rates)).toBe(2)
  // Without a rate of shoppers they count with their address.
  expect(useUp(person('eve'), { address: 2 }, '192.0.2.7')).toBe(2)
  expect(useUp(person('dan'), { address: 2 }, '192.0.2.7')).toBe(0)
  // A server that sends the token of a shopper calls for many.
  expect(useUp({ ...server('a'), shopper: { id: 'zoe', claims: {}, session: {} } }, rates)).toBe(50)
})

test('a report of another server counts for its address, and not for the store', () => {
  const instance = processOf(new TestClock())
  const [rates, stranger] = [{ store: 2, address: 5 }, visitor({ keyId: '', grant: 'nobody' })]
  expect(letIn(9, () => send(instance, server('a'), { rates }))).toBe(2)
  expect(letIn(9, () => send(instance, stranger, { rates, isReport: true }))).toBe(5)
})

test('a response says what is left, and a shopper learns nothing of the store', () => {
  const instance = processOf(new TestClock(), () => 2)
  const rates = { store: 200, key: 100, address: 4 }
  expect(send(instance, server('a'), { rates, weight: 3, reservedRate: 10 })).toEqual({
    headers: {
      'ratelimit-policy': '"key";q=100;w=1, "store";q=200;w=1, "reserved";q=10;w=1',
      ratelimit: '"key";r=47;t=1, "store";r=97;t=1, "reserved";r=2;t=1',
    },
  })
  expect(send(instance, visitor(), { rates }).headers).toEqual({
    'ratelimit-policy': '"address";q=4;w=1',
    ratelimit: '"address";r=1;t=1',
  })
  const export1 = { rates, weight: 20, clientAddress: '192.0.2.9' }
  expect(send(instance, visitor(), export1).headers.ratelimit).toBe('"address";r=0;t=10')
  const { refusal, headers, waitS } = send(instance, visitor(), export1)
  expect([refusal?.status, refusal?.code, refusal?.reason, waitS]).toEqual([429, 'rate_limited', 'rate', 10])
  expect(headers.ratelimit).toBe('"address";r=0;t=10')
  expect(refusal?.detail).toBe('There are too many requests of this address; try again in 10 seconds.')
  // The store's own emptiness has to be said to those it refuses.
  const small = { rates: { store: 2 } }
  const other = visitor({ storeId: 'small' })
  letIn(2, () => send(instance, server('b', 'small'), small))
  expect(send(instance, other, small).headers['ratelimit-policy']).toBe('"store";q=2;w=1')
})
