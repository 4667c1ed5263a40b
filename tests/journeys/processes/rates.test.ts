import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { emptyDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, stop, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'

stopAfterEach()

const rate = 40

test('two processes grant a rate together, and one that is left grants all of it', async () => {
  const database = await emptyDatabase()
  const settings = {
    ...key,
    DATABASE_URL: database.url,
    SUTLER_SECRET: 'the same secret in all of the processes',
    SUTLER_RATE: `store:${rate}`,
  }
  const servers = [1, 2].map(() => serve(newDirectory(), settings))
  const [first, second] = await Promise.all(
    servers.map(async ({ ready }) => {
      const client = await adminOf(await ready)
      return () => client.get('/v2/settings')
    }),
  )
  if (!first || !second) throw new Error('there are two')

  /** Asks too seldom to use up anything itself. */
  const left = async (read: typeof first) => {
    await wait(150)
    return Number(/r=(\d+)/.exec((await read()).headers.get('ratelimit') ?? '')?.[1])
  }
  const hasAll = async () => ((await left(first)) >= rate / 2 ? true : undefined)
  const hasHalf = async () => ((await left(first)) < rate / 2 ? true : undefined)
  await until(hasHalf)

  const beganMs = performance.now()
  const counts = { accepted: 0, refused: 0 }
  const flood = async (read: typeof first) => {
    while (performance.now() < beganMs + 4000) {
      const { status, headers } = await read()
      if (status === 200) counts.accepted++
      else counts.refused++
      expect([status, Number(headers.get('retry-after'))]).toEqual(status === 200 ? [200, 0] : [429, 1])
      await wait(15)
    }
  }
  await Promise.all([first, first, first, second, second, second].map(flood))
  const seconds = (performance.now() - beganMs) / 1000
  expect(counts.refused).toBeGreaterThan(0)
  expect(counts.accepted).toBeLessThanOrEqual(rate * seconds + rate + 2)
  expect(counts.accepted).toBeGreaterThan(rate * seconds * 0.75)

  // A client that waits as it is told gets in.
  const { headers } = await until(async () => {
    const reply = await first()
    return reply.status === 429 ? reply : undefined
  })
  await wait(Number(headers.get('retry-after')) * 1000)
  expect((await first()).status).toBe(200)

  const [, other] = servers
  if (other) await stop(other.child)
  await until(hasAll)
}, 120_000)
