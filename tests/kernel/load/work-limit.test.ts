import { expect, test } from 'vitest'
import { WorkLimit } from '../../../server/kernel/load/work-limit.ts'

/** A server in simulated time. Its requests share its processors, so many at once take longer. */
class SimulatedServer {
  nowMs = 0
  readonly changes: boolean[] = []
  readonly answered: { readonly atMs: number; readonly ms: number }[] = []
  readonly refusedAtMs: number[] = []
  readonly limit: WorkLimit
  serviceMs: number
  readonly #processors: number
  readonly #timers: { readonly atMs: number; readonly run: () => void }[] = []
  readonly #atWork = new Set<{ leftMs: number; readonly end: () => void }>()
  #due = 0

  constructor(
    serviceMs: number,
    { calmMax = 64, overloadedMin = 1, processors = 1, waitMaxMs = 10_000 } = {},
  ) {
    this.serviceMs = serviceMs
    this.#processors = processors
    this.limit = new WorkLimit({
      ...{ calmMax, overloadedMin, waitMaxMs, standing: { waitMs: 20, forMs: 800 } },
      clock: {
        nowMs: () => this.nowMs,
        after: (ms, run) => void this.#timers.push({ atMs: this.nowMs + ms, run }),
      },
      onOverload: (isOverloaded) => this.changes.push(isOverloaded),
    })
  }

  async send(): Promise<void> {
    const sentAtMs = this.nowMs
    const place = await this.limit.enter('get')
    if (!place) return void this.refusedAtMs.push(this.nowMs)
    await new Promise<void>((end) => this.#atWork.add({ leftMs: this.serviceMs, end }))
    place.leave()
    this.answered.push({ atMs: this.nowMs, ms: this.nowMs - sentAtMs })
  }

  /** Lets time pass while so many requests come each second. */
  async run(ms: number, perSecond: number): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; this.nowMs++) {
      for (this.#due += perSecond / 1000; this.#due >= 1; this.#due--) void this.send()
      for (const timer of this.#timers.splice(0))
        if (timer.atMs > this.nowMs) this.#timers.push(timer)
        else timer.run()
      const share = Math.min(1, this.#processors / this.#atWork.size)
      for (const request of [...this.#atWork]) {
        request.leftMs -= share
        if (request.leftMs > 1e-9) continue
        this.#atWork.delete(request)
        request.end()
      }
      await new Promise((done) => setImmediate(done))
    }
  }

  p95(fromMs: number): number {
    const times = this.answered.filter(({ atMs }) => atMs >= fromMs).map(({ ms }) => ms)
    return times.sort((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? Number.NaN
  }
}

/** So the server can answer a hundred requests a second. */
const serviceMs = 10

test('what the server can serve is not refused, and neither is a burst of four seconds beside others', async () => {
  const server = new SimulatedServer(serviceMs)
  await server.run(3000, 90)
  for (let i = 0; i < 400; i++) void server.send()
  await server.run(6000, 20)
  expect([server.refusedAtMs, server.changes]).toEqual([[], []])
  expect(server.answered.length).toBeGreaterThan(780)
})

test('under ten times its load the server stays busy, what it accepts takes less than twice its time, and it recovers', async () => {
  const server = new SimulatedServer(serviceMs)
  await server.run(2000, 20)
  const quietMs = server.p95(0)
  const [beganMs, before] = [server.nowMs, server.answered.length]
  await server.run(20_000, 1000)
  expect(server.answered.length - before).toBeGreaterThan(1900)
  // The requests that were at work when the overload began end within a second.
  expect(server.p95(beganMs + 2500)).toBeLessThanOrEqual(2 * quietMs)
  expect(server.changes).toEqual([true])
  await server.run(1500, 20)
  const refused = server.refusedAtMs.length
  await server.run(3000, 80)
  expect([server.refusedAtMs.length - refused, server.changes]).toEqual([0, [true, false]])
})

test('a server that starts in a flood learns what is usual', async () => {
  const server = new SimulatedServer(serviceMs)
  await server.run(10_000, 1000)
  expect(server.p95(5000)).toBeLessThanOrEqual(3 * serviceMs)
  expect(server.answered.length).toBeGreaterThan(900)
})

test('a server with many processors uses them all in an overload, also when it has become slower for good', async () => {
  const server = new SimulatedServer(serviceMs, { processors: 16 })
  await server.run(2000, 100)
  server.serviceMs *= 4
  // 400 a second are what it can answer now.
  await server.run(10_000, 4000)
  const [beganMs, before] = [server.nowMs, server.answered.length]
  await server.run(5000, 4000)
  expect(server.answered.length - before).toBeGreaterThan(0.8 * 5 * 400)
  expect(server.p95(beganMs)).toBeLessThan(2 * server.serviceMs)
})

test('a few hundred clients that wait for their responses are no overload, and six hundred are one', async () => {
  const refusals = async (clients: number) => {
    const server = new SimulatedServer(10, { processors: 20 })
    let isOver = false
    const client = async () => {
      while (!isOver) {
        await server.send()
        await new Promise((done) => setImmediate(done))
      }
    }
    const all = Array.from({ length: clients }, client)
    await server.run(4000, 0)
    isOver = true
    await server.run(2000, 0)
    await Promise.all(all)
    return server.refusedAtMs.length
  }
  expect(await refusals(180)).toBe(0)
  expect(await refusals(600)).toBeGreaterThan(0)
})

test('requests that hang make the next ones wait for two seconds, and then they are refused', async () => {
  const server = new SimulatedServer(serviceMs, { calmMax: 4, waitMaxMs: 2000 })
  const places = await Promise.all(Array.from({ length: 4 }, () => server.limit.enter('hang')))
  await server.run(1000, 5)
  expect(server.refusedAtMs).toEqual([])
  await server.run(1400, 5)
  expect(server.refusedAtMs.length).toBeGreaterThan(8)
  for (const place of places) place?.leave()
  await server.run(3000, 5)
  const refused = server.refusedAtMs.length
  await server.run(3000, 5)
  expect([server.refusedAtMs.length - refused, server.changes]).toEqual([0, [true, false]])
})

test('a request that waits for something else takes no place', async () => {
  const server = new SimulatedServer(serviceMs)
  const places = await Promise.all(
    Array.from({ length: 500 }, async () => {
      const place = await server.limit.enter('follow')
      place?.pause()
      return place
    }),
  )
  expect(server.limit.atWork).toBe(0)
  await server.run(2000, 80)
  for (const place of places) place?.leave()
  expect([server.limit.atWork, server.refusedAtMs, server.changes]).toEqual([0, [], []])
})
