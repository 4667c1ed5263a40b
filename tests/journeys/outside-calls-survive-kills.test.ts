import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Carrier, type Fault, openCarrier } from '../support/carrier.ts'
import type { Client } from '../support/client.ts'
import { type OwnDatabase, ownDatabase } from '../support/own-database.ts'
import { adminOf, key, newDirectory, serve, startHere, stopAfterEach } from '../support/process.ts'
import { until } from '../support/until.ts'
import { secret } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { carrier as shipmentCarrier } from '../workshop/ship-crate.ts'

/** Kills a process between the steps of an outside call: one intent has one effect, and one record of it. */

const entry = fileURLToPath(new URL('../support/serve-workshop.ts', import.meta.url))

let database: OwnDatabase
let carrier: Carrier
beforeEach(async () => {
  database = await ownDatabase()
  await database.sql(appAndWorkshop.sql)
  carrier = await openCarrier()
})
afterEach(async () => {
  shipmentCarrier.url = ''
  await carrier.close()
  await database.drop()
})
// Vitest runs these from the last to the first.
stopAfterEach()

const settings = () => ({ ...key, DATABASE_URL: database.url, SUTLER_SECRET: secret })

/** A process that can be killed. */
const serveWorkshop = () => serve(newDirectory(), { ...settings(), WORKSHOP_CARRIER: carrier.url }, entry)

/** The server that starts after it. */
function startAgain() {
  shipmentCarrier.url = carrier.url
  return startHere(settings(), { modules: appAndWorkshop.modules, access: appAndWorkshop.access })
}

async function makeCrate(admin: Client): Promise<string> {
  const { status, body } = await admin.post('/v2/crates', { data: { type: 'crate', id: 'in-the-attic' } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}

const ship = (admin: Client, crate: string, headers = {}) =>
  admin.post(`/v2/crates/${crate}/shipments`, { data: { type: 'shipment', note: 'x' } }, headers)

const shipmentsOf = async (admin: Client, crate: string): Promise<string | undefined> =>
  (await admin.get(`/v2/crates/${crate}`)).body.data.marks?.shipments

/** Statements that block a step of the server, by the moment of the kill. */
const moments: Readonly<
  Record<string, { lock?: string; fault?: Fault; effects: number; ready(): Promise<boolean> }>
> = {
  'before the intent is committed': {
    lock: 'LOCK TABLE intents IN EXCLUSIVE MODE',
    effects: 0,
    ready: waiting,
  },
  'before the other server acts': {
    fault: 'hang before',
    effects: 1,
    ready: async () => carrier.requests.size > 0,
  },
  'after the other server has acted': {
    fault: 'hang after',
    effects: 1,
    ready: async () => carrier.effects.length > 0,
  },
  'before the outcome is recorded': { lock: 'SELECT FROM crates FOR UPDATE', effects: 1, ready: waiting },
}

async function waiting(): Promise<boolean> {
  const { rows } = await database.sql(
    `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`,
  )
  return rows.length > 0
}

/** Starts a shipment, kills the server at the moment, and starts another one. */
async function killAt(
  moment: string,
  headers: Record<string, string>,
): Promise<{ admin: Client; crate: string }> {
  const { lock, fault, ready } = moments[moment] as (typeof moments)[string]
  const first = serveWorkshop()
  const admin = await adminOf(await first.ready)
  const crate = await makeCrate(admin)
  const obstacle = new pg.Client(database.url)
  await obstacle.connect()
  if (lock) await obstacle.query(`BEGIN; ${lock}`)
  if (fault) carrier.faults.push(fault)
  const lost = ship(admin, crate, headers).then(
    ({ status }) => status,
    () => 'lost' as const,
  )
  await until(async () => ((await ready()) ? true : undefined))
  first.child.kill('SIGKILL')
  expect(await lost).toBe('lost')
  await obstacle.end()
  const second = await startAgain()
  return { admin: await adminOf(second.url), crate }
}

test.each(Object.keys(moments))(
  'a repeated request completes when the server is killed %s',
  async (moment) => {
    const headers = { 'idempotency-key': randomUUID() }
    const { admin, crate } = await killAt(moment, headers)
    const reply = await until(async () => {
      const again = await ship(admin, crate, headers)
      if (again.status !== 409) return again
      await new Promise((done) => setTimeout(done, 200))
      return undefined
    })
    carrier.letGo()
    expect([reply.status, reply.body.errors]).toEqual([201, undefined])
    expect([carrier.effects.length, await shipmentsOf(admin, crate)]).toEqual([1, '1'])
  },
)

test.each(Object.entries(moments))(
  'a job completes the request when the server is killed %s',
  async (moment, { effects }) => {
    const { admin, crate } = await killAt(moment, {})
    await until(async () => {
      const { rows } = await database.sql('SELECT FROM intents WHERE ended_at IS NULL')
      return rows.length ? undefined : true
    })
    carrier.letGo()
    expect([carrier.effects.length, await shipmentsOf(admin, crate)]).toEqual([
      effects,
      effects ? '1' : undefined,
    ])
  },
)
