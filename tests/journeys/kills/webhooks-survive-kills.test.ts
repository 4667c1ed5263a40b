import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findRunning } from '../../../server/platform/postgres/embedded.ts'
import { openHook } from '../../builders/telling/hooks.ts'
import type { Client } from '../../support/client.ts'
import { isLong } from '../../support/long.ts'
import { adminOf, type Process, serve, startedDirectory, stop, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { secretOf } from '../../support/world.ts'

stopAfterEach()

const writers = 12
/** What is killed, one after the other. */
const kills = isLong
  ? Array.from({ length: 12 }, (_, i) => (i % 2 ? 'server' : 'PostgreSQL'))
  : ['server', 'PostgreSQL']

test('every acknowledged change is in the feed and is delivered, in order, when the server and PostgreSQL are killed', async () => {
  const directory = startedDirectory()
  const settings = { SUTLER_WEBHOOK_NETWORKS: 'loopback' }
  let server: Process = serve(directory, settings)
  let admin: Client | undefined
  const connect = async () => {
    admin = await adminOf(await server.ready, 'client-of-first', secretOf('first'))
    return admin
  }
  const hook = await openHook(await connect(), ['account.updated'])
  // Some answers are lost with the process that waits for them, and one attempt of an account fails, which delays it by
  // ten seconds.
  let n = 0
  const failed = new Set<string>()
  hook.answer = ({ body }, response) => {
    const fails = ++n % 40 === 0 && !failed.has(body.payload.data.id)
    if (fails) failed.add(body.payload.data.id)
    setTimeout(() => response.writeHead(fails ? 503 : 200).end(), n % 5)
  }

  let [writing, lost, starts] = [true, 0, 1]
  /** Changes an account until `isOver`. Returns its id and the number of the last acknowledged change. */
  const write = async (name: string, isOver: () => boolean) => {
    const create = () =>
      admin?.post('/v2/accounts', { data: { type: 'account', name } }).catch(() => undefined)
    const id: string = await until(async () => (await create())?.body.data?.id)
    let number = 0
    while (!isOver()) {
      const data = { type: 'account', name: `${name} ${number + 1}` }
      const answer = await admin?.put(`/v2/accounts/${id}`, { data }).catch(() => undefined)
      if (answer?.status === 200) number += 1
      else lost += 1
      await sleep(50)
    }
    return { id, number }
  }
  const writeOn = async (n: number) => [await write(`Account ${n}`, () => !writing)]
  /** The jobs of an account wait behind a kill for the end of a lease; those of a new account do not. */
  const writeAnew = async (n: number) => {
    const accounts: Awaited<ReturnType<typeof write>>[] = []
    while (writing) {
      const start = starts
      accounts.push(await write(`Account ${n} of start ${start}`, () => !writing || starts > start))
    }
    return accounts
  }
  const written = Promise.all(Array.from({ length: writers }, (_, i) => (i % 2 ? writeOn : writeAnew)(i)))
  for (const what of kills) {
    const before = hook.requests.length
    await until(async () => (hook.requests.length > before + 30 ? true : undefined), 180_000)
    const postmaster = Number(readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    if (what === 'server') server.child.kill('SIGKILL')
    else process.kill(postmaster, 'SIGKILL')
    admin = undefined
    await server.exit
    server = serve(directory, settings)
    await connect()
    starts += 1
  }
  await sleep(500)
  writing = false
  const accounts = (await written).flat()
  expect(lost, 'changes that were not acknowledged').toBeGreaterThan(0)

  // The jobs that a killed process had claimed wait for the end of their leases.
  const client = new pg.Client(findRunning(directory))
  await client.connect()
  const ended = async () => {
    const { rows } = await client.query(
      `SELECT (SELECT count(*) FROM integration_jobs WHERE state = 'waiting')
         + (SELECT count(*) FROM fresh_changes)
         + (SELECT sum(f.position - r.position) FROM feeds f JOIN feed_readers r USING (store_id)) AS open`,
    )
    return Number(rows[0].open) === 0 ? true : undefined
  }
  await until(ended, 120_000)
  const { rows: fed } = await client.query(
    `SELECT id, doc->>'name' AS name, position FROM changes
     WHERE source = 'accounts' AND event = 'updated' ORDER BY position`,
  )
  expect(failed.size, 'attempts that failed').toBeGreaterThan(0)
  const { rows: dead } = await client.query(`SELECT FROM integration_jobs WHERE state <> 'succeeded'`)
  await client.end()
  expect(dead.length, 'jobs that have not succeeded').toBe(0)

  const numberIn = (name: string) => Number(name.split(' ').at(-1))
  for (const { id, number } of accounts) {
    const feed = fed.filter((change) => change.id === id).map(({ name }) => numberIn(name))
    const acknowledged = Array.from({ length: number }, (_, i) => i + 1)
    expect(new Set(feed).isSupersetOf(new Set(acknowledged)), `the feed of ${id}`).toBe(true)
    const got = hook.requests.filter(({ body }) => body.payload.data.id === id)
    // The first time of each event: these are all of them, in their order.
    const firsts = got.filter(({ body }, i) => got.findIndex((one) => one.body.id === body.id) === i)
    expect(
      firsts.map(({ body }) => numberIn(body.payload.data.name)),
      `what arrived of ${id}`,
    ).toEqual(feed)
    // An event comes again only before the next one.
    const numbers = got.map(({ body }) => numberIn(body.payload.data.name))
    expect(numbers, `the order of ${id}`).toEqual(numbers.toSorted((a, b) => a - b))
  }
  await hook.close()
  await stop(server.child)
}, 900_000)
