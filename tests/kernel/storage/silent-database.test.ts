import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, type TestContext, test } from 'vitest'
import { start } from '../../../server/main.ts'
import { clientOf } from '../../support/client.ts'
import { openStallingProxy } from '../../support/stalling-proxy.ts'
import { until } from '../../support/until.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

const statementMaxMs = 2000

let world: World
beforeAll(async () => {
  world = await openWorld({ statementMaxMs })
})
afterAll(() => world.close())

const account = (name: string) => ({ data: { type: 'account', name } })

/** A server of the test's own, on the way to the database that it stalls; and the address of an account. */
async function open({ onTestFinished }: TestContext, connections: number) {
  const proxy = await openStallingProxy(inject('postgres'), world.database)
  const env = { DATABASE_URL: proxy.url, SUTLER_DATABASE_CONNECTIONS: String(connections) }
  // Its clock stands still, so it checks only once whether the token's key still exists. A check that times out would
  // end the request before it reaches its own connection, which would stay open and silent.
  const now = new Date()
  const server = await start(testConfig(inject('postgres'), '', env), {
    statementMaxMs,
    clock: { now: () => now },
  })
  onTestFinished(async () => {
    proxy.close()
    await server.stop()
  })
  const admin = clientOf(server.url, world.admin.token)
  const reply = await world.admin.post('/v2/accounts', account('One'))
  const one = `/v2/accounts/${reply.body.data.id}`
  // On a busy machine the first statements may take longer than they may here.
  await until(async () => ((await admin.get(one)).status === 200 ? one : undefined))
  return { proxy, server, admin, one }
}

// What takes long here is waiting.
describe.concurrent('when the database stops answering', () => {
  test('every waiting request is answered with 503, and the next one uses the database again', async (context) => {
    const { proxy, admin, one } = await open(context, 3)
    const token = () =>
      admin.post('/oauth/access_token', {
        grant_type: 'client_credentials',
        client_id: world.key.id,
        client_secret: world.key.secret,
      })
    proxy.stall()
    const began = performance.now()
    const ready = admin.get('/readyz')
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () => admin.get(one)),
      ...Array.from({ length: 8 }, () => admin.get('/v2/accounts')),
      admin.post('/v2/accounts', account('Two')),
      admin.post('/v2/accounts', account('Three'), { 'idempotency-key': 'three' }),
      admin.put(one, account('Four')),
      admin.delete(one),
      token(),
    ])
    const tookMs = performance.now() - began
    for (const { status, body } of replies) {
      expect([status, body.errors[0].code]).toEqual([503, 'unavailable'])
    }
    // Those that had no connection yet waited ten seconds for one. A busy machine adds to that.
    expect(tookMs).toBeLessThan(25_000)
    expect((await ready).status).toBe(503)

    proxy.resume()
    const statuses = await Promise.all([admin.get(one), admin.get('/v2/accounts'), token()])
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await admin.get(one)).body.data.name).toBe('One')
  })

  test('only the silent connections are closed', async (context) => {
    const { proxy, admin, one } = await open(context, 1)
    // Reads are recorded behind the answers, on the connection that the POST below needs.
    const list = await until(async () => {
      const { status, body } = await admin.get('/v2/accounts')
      return status === 200 ? body.data : undefined
    })
    const ids = list.map(({ id }: { id: string }) => id)
    const text = 'SELECT DISTINCT id FROM personal_data_reads WHERE id = ANY($1)'
    await until(async () => (await world.sql(text, [ids])).rowCount === ids.length || undefined)
    proxy.stall()
    proxy.resume()
    const began = performance.now()
    const lost = await Promise.all([
      admin.get(one),
      admin.get(one),
      admin.get('/v2/accounts'),
      admin.post('/v2/accounts', account('X')),
    ])
    expect(lost.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(lost[0]?.body.errors[0].detail).toBe('The database did not respond in time.')
    expect(performance.now() - began).toBeLessThan(statementMaxMs * 3)
    const replies = await Promise.all([admin.get(one), admin.get(one), admin.get('/v2/accounts')])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('the server still stops', async (context) => {
    const { proxy, server, admin, one } = await open(context, 3)
    proxy.stall()
    const waiting = Promise.all([admin.get(one), admin.post('/v2/accounts', account('Late'))])
    await sleep(statementMaxMs / 2)
    const began = performance.now()
    await server.stop()
    expect(performance.now() - began).toBeLessThan(30_000)
    expect((await waiting).map(({ status }) => status)).toEqual([503, 503])
  }, 120_000)
})
