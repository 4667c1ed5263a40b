import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTimeout } from '../../../server/kernel/request/with-timeout.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const sleep = (seconds: number) => ({ text: 'SELECT pg_sleep($1)', values: [seconds] })

test('statements are cancelled when the time of their request is over, and the answer says so', async () => {
  const { database } = world.server.instance
  const beganAt = performance.now()
  const request = withTimeout(300, new AbortController().signal, async (asker) => {
    // The time is that of all statements together.
    for (let i = 0; i < 30; i++) await database.reading(() => asker).run(sleep(0.2))
  })
  await expect(request).rejects.toMatchObject({
    code: 'timed_out',
    status: 422,
    detail: 'The request took longer than 0.3 seconds. Narrow the request, or try again later.',
  })
  expect(performance.now() - beganAt).toBeLessThan(5000)
  expect(await database.reading(() => new AbortController().signal).run(sleep(0))).toHaveLength(1)
})

test('they are also cancelled when the client hangs up', async () => {
  const client = new AbortController()
  const request = withTimeout(60_000, client.signal, (asker) =>
    world.server.instance.database.reading(() => asker).run(sleep(60)),
  )
  client.abort(new Error('gone'))
  await expect(request).rejects.toThrow('gone')
})
