import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { some, tries } from '../../support/long.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, startHere, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { secret } from '../../support/world.ts'
import { rowsPerPart, smallParts } from './small-parts.ts'

/** A store's jobs end in the order in which clients asked for them, whatever fails in between. */

let database: OwnDatabase
let admin: Client

const settings = () => ({ ...key, DATABASE_URL: database.url, SUTLER_SECRET: secret })

beforeEach(async () => {
  database = await ownDatabase()
})
// Vitest runs these from the last to the first.
afterEach(() => database.drop())
stopAfterEach()

const rows = rowsPerPart * tries(5, 30)
/** So many rows of the first import are written when something fails. */
const rowsBefore = rowsPerPart

async function importNames(name: string): Promise<string> {
  const lines = Array.from({ length: rows }, (_, i) => `P-${i},${name},p-${i},physical,live`)
  const csv = ['external_ref,name,sku,commodity_type,status', ...lines].join('\n')
  const { status, body } = await admin.send('POST', '/pcm/products/import', {
    body: `--b\r\ncontent-disposition: form-data; name="file"; filename="p.csv"\r\n\r\n${csv}\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}

const jobOf = async (id: string) => (await admin.get(`/pcm/jobs/${id}`)).body?.data

/** Waits until an import has written so many rows. */
const written = (id: string, min: number) =>
  until(async () => ((await jobOf(id))?.meta.progress?.done >= min ? true : undefined))

const ended = (id: string) =>
  until(async () => {
    // The database may be unavailable.
    const { completed_at, status } = (await jobOf(id))?.attributes ?? {}
    return completed_at ? status : undefined
  }, 90_000)

const published = (catalog: string, release: string) =>
  until(async () => {
    const { meta } = (await admin.get(`/catalogs/${catalog}/releases/${release}`)).body.data ?? {}
    return meta?.release_status === 'PUBLISHED' ? true : undefined
  }, 90_000)

/** How many products have each name. */
async function names(table: string): Promise<Record<string, number>> {
  const { rows } = await database.sql(`SELECT name, count(*)::int AS n FROM ${table} GROUP BY name`)
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

/** Ends every connection of the server, as a restart of PostgreSQL does. */
const endConnections = () =>
  database.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'sutler'`,
  )

/** Ends the connection that writes rows of an import, and no other. */
const endImport = () =>
  until(async () => {
    const { rowCount } = await database.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'sutler' AND backend_xid IS NOT NULL
         AND query ~ 'products'`,
    )
    return rowCount ? true : undefined
  })

/** The address of a server that is not killed. */
const startHereToStay = async () => (await startHere(settings(), { modules: smallParts })).url

const entry = fileURLToPath(new URL('./serve-small-parts.ts', import.meta.url))
/** A server that is killed. */
const startToBeKilled = () => serve(newDirectory(), settings(), entry)

/** The servers of a test: the address of the first, and what happens to it while it runs a job. */
type FailingServer = () => Promise<{ url: string; fail(): Promise<unknown> }>

/** A server whose connections end. */
const losing =
  (end: () => Promise<unknown>): FailingServer =>
  async () => ({ url: await startHereToStay(), fail: end })

/** A process that is killed, and what runs then. */
const killed =
  (next: (kill: () => Promise<unknown>) => Promise<string>): FailingServer =>
  async () => {
    const server = startToBeKilled()
    const kill = () => {
      server.child.kill('SIGKILL')
      return server.exit
    }
    return {
      url: await server.ready,
      async fail() {
        admin = await adminOf(await next(kill))
      },
    }
  }

const startAgain = (kill: () => Promise<unknown>) => kill().then(startHereToStay)

async function killOneOfTwo(kill: () => Promise<unknown>) {
  const other = await startHereToStay()
  await kill()
  return other
}

async function killTwice(kill: () => Promise<unknown>) {
  await kill()
  const second = startToBeKilled()
  await second.ready
  second.child.kill('SIGKILL')
  await second.exit
  return startHereToStay()
}

const data = async (path: string, data: object) => {
  const { status, body } = await admin.post(path, { data })
  expect([path, status < 300, body?.errors]).toEqual([path, true, undefined])
  return body?.data
}

/** A catalog with all products of an import in it. */
async function makeCatalog(): Promise<string> {
  expect(await ended(await importNames('old'))).toBe('success')
  const attributes = { name: 'Shop' }
  const { id: hierarchy } = await data('/pcm/hierarchies', { type: 'hierarchy', attributes })
  const { id: node } = await data(`/pcm/hierarchies/${hierarchy}/nodes`, {
    type: 'node',
    attributes: { name: 'Shelf' },
  })
  await data('/pcm/products/attach_nodes', { filter: 'eq(commodity_type,physical)', node_ids: [node] })
  const catalog = { name: 'Everyone', hierarchy_ids: [hierarchy] }
  return (await data('/catalogs', { type: 'catalog', attributes: catalog })).id
}

const losses: readonly (readonly [string, FailingServer])[] = [
  ['the connection of the first is ended', losing(endImport)],
  ['the server is killed, and started again', killed(startAgain)],
  ['the server is killed, and another one runs', killed(killOneOfTwo)],
  ['all connections are ended', losing(endConnections)],
  ['the server is killed twice', killed(killTwice)],
]

test.each(some(3, losses))(
  'jobs do not overtake each other when %s',
  async (_what, start) => {
    const { url, fail } = await start()
    admin = await adminOf(url)
    const catalog = await makeCatalog()
    const first = await importNames('first')
    const second = await importNames('second')
    const release = (await admin.post(`/catalogs/${catalog}/releases`)).body.data.id
    await written(first, rowsBefore)
    await fail()
    expect([await ended(first), await ended(second)]).toEqual(['success', 'success'])
    expect(await names('products')).toEqual({ second: rows })
    await published(catalog, release)
    expect(await names('published_products')).toEqual({ second: rows })
  },
  240_000,
)

test('a release waits for the import before it when the import loses its connection', async () => {
  admin = await adminOf(await startHereToStay())
  const catalog = await makeCatalog()
  const first = await importNames('first')
  const release = (await admin.post(`/catalogs/${catalog}/releases`)).body.data.id
  await written(first, rowsBefore)
  await endImport()
  await published(catalog, release)
  expect(await names('published_products')).toEqual({ first: rows })
}, 180_000)
