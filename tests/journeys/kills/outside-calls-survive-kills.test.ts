import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Carrier, type Fault, openCarrier } from '../../support/carrier.ts'
import type { Client } from '../../support/client.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, startHere, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { secret } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { carrier as shipmentCarrier } from '../../workshop/ship-crate.ts'

/** Kills a process between the steps of an outside call: one errand has one effect, and one record of it. */

const entry = fileURLToPath(new URL('../../support/serve-workshop.ts', import.meta.url))

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

/** The server that starts after a killed one. */
async function startAgain(): Promise<Client> {
  shipmentCarrier.url = carrier.url
  const { modules, access } = appAndWorkshop
  return adminOf((await startHere(settings(), { modules, access })).url)
}

/** A moment at which a process waits: at the carrier, or for a lock. */
interface Moment {
  readonly fault?: Fault
  readonly lock?: (names: readonly string[], store: string) => readonly [text: string, values?: unknown[]]
  /** How often the carrier acts if nobody repeats the request. */
  readonly effects: 0 | 1
}

const moments: Readonly<Record<string, Moment>> = {
  'before the other server acts': { fault: 'hang before', effects: 1 },
  'after the other server has acted': { fault: 'hang after', effects: 1 },
  'before the outcome is recorded': {
    lock: (names, store) => [
      'SELECT FROM crates WHERE store_id = $1 AND reference = ANY($2) FOR UPDATE',
      [store, names],
    ],
    effects: 1,
  },
  'before the errand is committed': { lock: () => ['LOCK TABLE errands IN EXCLUSIVE MODE'], effects: 0 },
}

/** A shipment that was lost with its process. The client repeats its request if it has a key. */
interface LostShipment {
  readonly moment: string
  readonly crate: string
  readonly headers: Readonly<Record<string, string>>
}

const ship = (admin: Client, { crate, headers }: LostShipment) =>
  admin.post(`/v2/crates/${crate}/shipments`, { data: { type: 'shipment', note: crate } }, headers)

const shipmentsOf = async (admin: Client, crate: string): Promise<string | undefined> =>
  (await admin.get(`/v2/crates/${crate}`)).body.data.marks?.shipments

const effectsOf = (crate: string) =>
  (carrier.effects as readonly { note: string }[]).filter(({ note }) => note === crate).length

/** Starts two shipments for each of the moments, with a key and without, and kills the server when all are there. */
async function killAt(names: readonly string[]): Promise<readonly LostShipment[]> {
  const first = serve(newDirectory(), { ...settings(), WORKSHOP_CARRIER: carrier.url }, entry)
  const admin = await adminOf(await first.ready)
  const all: LostShipment[] = names.flatMap((moment) => [
    { moment, crate: randomUUID(), headers: { 'idempotency-key': randomUUID() } },
    { moment, crate: randomUUID(), headers: {} },
  ])
  for (const { crate } of all) {
    const { status, body } = await admin.post('/v2/crates', { data: { type: 'crate', id: crate } })
    expect([status, body.errors]).toEqual([201, undefined])
  }
  const obstacle = new pg.Client(database.url)
  await obstacle.connect()
  const store = (await obstacle.query('SELECT id FROM stores')).rows[0].id
  await obstacle.query('BEGIN')
  const at = (moment: string) => all.filter((one) => one.moment === moment).map(({ crate }) => crate)
  for (const name of names) {
    const [text, values] = moments[name]?.lock?.(at(name), store) ?? []
    if (text) await obstacle.query(text, values)
  }
  carrier.faultOf = (body) => {
    const { moment = '' } = all.find(({ crate }) => crate === (body as { note: string }).note) ?? {}
    return moments[moment]?.fault ?? 'none'
  }
  const lost = all.map((one) =>
    ship(admin, one).then(
      ({ status }) => status,
      () => 'lost' as const,
    ),
  )
  const count = (has: (moment: Moment) => unknown) =>
    all.filter(({ moment }) => has(moments[moment] as Moment)).length
  await until(async () => {
    const hasAll =
      carrier.requests.size === count(({ effects }) => effects) &&
      carrier.effects.length === count(({ effects, fault }) => effects && fault !== 'hang before') &&
      (await waiting()) === count(({ lock }) => lock)
    return hasAll || undefined
  })
  first.child.kill('SIGKILL')
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']))
  carrier.faultOf = () => 'none'
  await obstacle.end()
  return all
}

async function waiting(): Promise<number> {
  const { rows } = await database.sql(
    `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE NOT l.granted AND a.datname = current_database()`,
  )
  return rows.length
}

const [errand = '', ...later] = Object.keys(moments).toReversed()

// The lock of the first moment would keep the process from the others.
test.each([
  [errand, [errand]],
  ['at each later step', later],
])(
  'when the server is killed %s, a repeated request completes, and a job completes the others',
  async (_, names) => {
    const lost = await killAt(names)
    const admin = await startAgain()
    await Promise.all(
      lost.map(async (one) => {
        if (!one.headers['idempotency-key']) return
        const reply = await until(async () => {
          const again = await ship(admin, one)
          if (again.status !== 409) return again
          await sleep(200)
          return undefined
        })
        expect([one.moment, reply.status, reply.body.errors]).toEqual([one.moment, 201, undefined])
      }),
    )
    await until(async () => {
      const { rows } = await database.sql('SELECT FROM errands WHERE ended_at IS NULL')
      return rows.length ? undefined : true
    })
    carrier.letGo()
    for (const { moment, crate, headers } of lost) {
      const effects = headers['idempotency-key'] ? 1 : moments[moment]?.effects
      expect([moment, effectsOf(crate), await shipmentsOf(admin, crate)]).toEqual([
        moment,
        effects,
        effects ? '1' : undefined,
      ])
    }
  },
)
