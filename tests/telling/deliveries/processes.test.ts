import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from '../../../server/kernel/clock.ts'
import { newAccount, openHook } from '../../builders/telling/hooks.ts'
import type { Client } from '../../support/client.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, startHere, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { secret } from '../../support/world.ts'

/** Servers with one database share the deliveries. Each has an engine of its own, as processes do. */

let database: OwnDatabase
beforeEach(async () => {
  database = await ownDatabase()
})
afterEach(() => database.drop())
stopAfterEach()

const begin = (clock?: Clock) =>
  startHere(
    {
      ...key,
      DATABASE_URL: database.url,
      SUTLER_SECRET: secret,
      SUTLER_WEBHOOK_NETWORKS: 'loopback',
      SUTLER_TOKEN_LIFETIME_S: '31536000',
    },
    clock && { clock },
  )

const rename = (admin: Client, id: string, name: string) =>
  admin.put(`/v2/accounts/${id}`, { data: { type: 'account', name } })

test('two servers deliver each event once, and those of an object in their order', async () => {
  const servers = [await begin(), await begin()]
  const admins = await Promise.all(servers.map(({ url }) => adminOf(url)))
  const [first, second] = admins as [Client, Client]
  const hooks = [await openHook(first, ['account.updated']), await openHook(second, ['account.updated'])]
  const [slow] = hooks
  // Some messages overtake others, if nothing keeps them from it.
  if (slow) slow.answer = (_received, response) => void setTimeout(() => response.end(), Math.random() * 40)
  const ids = await Promise.all(Array.from({ length: 6 }, (_, i) => newAccount(first, `Account ${i}`)))
  const writes = 8
  await Promise.all(
    ids.map(async (id) => {
      for (let n = 0; n < writes; n++) await rename(n % 2 ? first : second, id, String(n))
    }),
  )
  for (const hook of hooks) {
    const jobs = await hook.ended(ids.length * writes)
    expect(jobs.every(({ state, attempt }) => state === 'succeeded' && attempt === 1)).toBe(true)
    expect(hook.requests.length).toBe(ids.length * writes)
    expect(new Set(hook.requests.map(({ body }) => body.id)).size).toBe(ids.length * writes)
    for (const id of ids) {
      const names = hook.requests
        .filter(({ body }) => body.payload.data.id === id)
        .map(({ body }) => body.payload.data.name)
      expect(names).toEqual(Array.from({ length: writes }, (_, n) => String(n)))
    }
    await hook.close()
  }
})

const leases = async () =>
  (await database.sql('SELECT state, attempt, leased_until IS NOT NULL AS leased FROM integration_jobs')).rows

test('a server that stops gives back what it has not delivered', async () => {
  const leaving = await begin()
  const hook = await openHook(await adminOf(leaving.url), ['account.created'])
  hook.answer = () => {}
  await newAccount(await adminOf(leaving.url), 'Ash')
  await hook.got(1)
  expect(await leases()).toEqual([{ state: 'waiting', attempt: 0, leased: true }])
  await leaving.stop()
  expect(await leases()).toEqual([{ state: 'waiting', attempt: 0, leased: false }])
  hook.answer = (_received, response) => void response.end()
  const began = performance.now()
  await begin()
  // Its lease would have ended after twenty seconds.
  await hook.got(2)
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(hook.requests[1]?.body).toEqual(hook.requests[0]?.body)
  await hook.close()
})

test('another server takes over what a dead one had claimed, and what the dead one says later changes nothing', async () => {
  const dead = await begin()
  const hook = await openHook(await adminOf(dead.url), ['account.created'])
  const held: (() => void)[] = []
  hook.answer = (_received, response) => void held.push(() => response.writeHead(500).end())
  const admin = await adminOf(dead.url)
  await newAccount(admin, 'Birch')
  await hook.got(1)
  hook.answer = (_received, response) => void response.end()
  await sleep(600)
  expect(hook.requests.length).toBe(1)
  // As if the time of the lease had passed.
  await begin({ now: () => new Date(Date.now() + 21_000) })
  const [job] = await hook.ended(1)
  expect(job).toMatchObject({ state: 'succeeded', attempt: 1 })
  expect(hook.requests.length).toBe(2)
  for (const answer of held) answer()
  await until(async () => ((await admin.get(`${hook.path}/logs`)).body.data.length === 2 ? true : undefined))
  expect((await hook.jobs())[0]).toMatchObject({ state: 'succeeded', attempt: 1 })
  await hook.close()
})
