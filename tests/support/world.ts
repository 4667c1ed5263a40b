import { randomUUID } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { app } from '../../server/app.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { type Clock, systemClock } from '../../server/kernel/clock.ts'
import type { Module } from '../../server/kernel/module.ts'
import type { Work } from '../../server/kernel/work/context.ts'
import { prepareStores } from '../../server/kernel/work/every-store.ts'
import { workOf } from '../../server/kernel/work/work-of.ts'
import { type RunningServer, type Swaps, start } from '../../server/main.ts'
import { createFirstKey } from '../../server/people/index.ts'
import { createStore } from '../../server/stores.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { distributeTests } from './citus.ts'
import { citusUrl } from './citus-url.ts'
import {
  type Client,
  clientOf,
  hangUp,
  injectedInto,
  overHttp,
  type Reply,
  type Transport,
  tokenOf,
} from './client.ts'
import { serves } from './document/watch.ts'
import { databaseUrl, type OwnDatabase, ownDatabase, wayTo } from './own-database.ts'
import { ownPostgres } from './own-postgres.ts'

export type { Client, Reply }

/** Two stores of a running server, and their callers. */
export interface World {
  readonly url: string
  readonly server: RunningServer
  readonly storeId: string
  /** client_credentials of the store. */
  readonly admin: Client
  /** implicit token of the store. */
  readonly shopper: Client
  /** client_credentials of another store. */
  readonly other: Client
  /** No token at all. */
  readonly nobody: Client
  /** The client id and secret behind `admin`. */
  readonly key: { readonly id: string; readonly secret: string }
  /** The client secret behind `other`. */
  readonly othersSecret: string
  clientWith(token: string | undefined): Client
  /** The context of jobs and rules, for what no API does. */
  readonly work: Work
  /** The name of its database, for another server or connection. */
  readonly database: string
  /** SQL on the database, for what no API shows. Other files may have had stores there. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** SQL on the change feed, after all writes are in it. */
  feed(text: string, values?: unknown[]): Promise<pg.QueryResult>
  close(): Promise<void>
}

/** The secret of the run's databases and data directories. */
export const secret = 'a secret that only the tests know, long enough'

/** The directory of the files of a database's servers. */
export const filesOf = (database: string): string => join(tmpdir(), `sutler-files-of-${database}`)

export const testConfig = (postgres: string, database: string, more: Record<string, string> = {}): Config =>
  readConfig({
    ...wayTo(databaseUrl(postgres, database)),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    // The tests' providers and receivers are there.
    SUTLER_PROVIDER_NETWORKS: 'loopback',
    SUTLER_WEBHOOK_NETWORKS: 'loopback',
    SUTLER_SECRET: secret,
    // What is sent is held to the API document, which is read as text.
    SUTLER_COMPRESS: 'false',
    SUTLER_FILES_DIR: filesOf(database),
    ...more,
    ...keyOf('first'),
  })

export const secretOf = (name: string) => `the secret of the key of ${name}, long enough`

const keyOf = (name: string) => ({
  SUTLER_CLIENT_ID: `client-of-${name}`,
  SUTLER_CLIENT_SECRET: secretOf(name),
})

/** The options of a world. */
interface Particulars extends Swaps {
  readonly env?: Record<string, string>
  /** Makes the tables of other modules, in a migrated database. */
  readonly sql?: string
  /** A server and a database of its own, for tests of all stores: chores, connections, outages, migrations. */
  readonly alone?: true
  /** A PostgreSQL of its own, with these settings. */
  readonly postgres?: Readonly<Record<string, string | number>>
  /** Its clients send every request over a connection, as tests of HTTP and journeys need. */
  readonly overHttp?: true
}

/** A server on a separate database. */
interface Place {
  readonly server: RunningServer
  /** Hands requests to the server without a connection. */
  readonly inject: Transport
  readonly database: OwnDatabase
  readonly modules: readonly Module[]
  readonly clock: Clock
}

/**
 * Opens a world. Close it when the file's tests are done. A world without options has two new stores on a server that
 * the worker keeps for all its files: starting one costs more than most files do. Any other has a server of its own.
 */
export async function openWorld({ overHttp: isOverHttp, ...particulars }: Particulars = {}): Promise<World> {
  if (!mayShare(particulars)) {
    return ownWorld(await openPlace(particulars))
  }
  const modules = particulars.modules ?? app
  const opening = sharedPlaces.get(modules) ?? openPlace(particulars)
  sharedPlaces.set(modules, opening)
  const place = await opening
  return worldIn(place, isOverHttp ? overHttp : place.inject, await addStore(place), async () => {})
}

/** A world whose server ends with it. Files stay loaded with their worker, so a closed world lets go of its server. */
async function ownWorld(place: Place): Promise<World> {
  const own: { place?: Place } = { place }
  const first = { id: await firstStoreOf(place), client: 'first' }
  const world = await worldIn(place, overHttp, first, async () => {
    if (!own.place) return
    const { server, database } = own.place
    await server.stop()
    await database.drop()
    rmSync(filesOf(database.name), { recursive: true, force: true })
    delete own.place
    Object.assign(world, { server: undefined, work: undefined })
  })
  return world
}

/** Whether other files can share its server. */
function mayShare({ modules, access, sql, ...others }: Particulars): boolean {
  if (Object.keys(others).length > 0) return false
  return modules === appAndWorkshop.modules || (!modules && !access && !sql)
}

/** Servers that the files of this worker share, by what they serve. They end with the worker. */
const sharedPlaces = new Map<readonly Module[], Promise<Place>>()

async function openPlace({ env, sql, postgres, alone: _, ...swaps }: Particulars): Promise<Place> {
  const database = postgres ? await ownPostgres(postgres) : await ownDatabase()
  if (sql) await database.sql(sql)
  if (sql && citusUrl && !postgres) await distributeTests(database.url)
  let http: FastifyInstance | undefined
  const take = (message: unknown) => {
    http = (message as { readonly fastify: FastifyInstance }).fastify
  }
  diagnostics.subscribe('fastify.initialization', take)
  const server = await start(testConfig(database.url, database.name, env), swaps)
  diagnostics.unsubscribe('fastify.initialization', take)
  if (http && (!swaps.access || swaps.modules === appAndWorkshop.modules)) serves(http, swaps.modules ?? app)
  const transport = injectedInto(http as FastifyInstance, server.url)
  return {
    server,
    inject: transport,
    database,
    modules: swaps.modules ?? app,
    clock: swaps.clock ?? systemClock,
  }
}

/** A store, and the name that its key's id and secret are made from. */
interface Store {
  readonly id: string
  readonly client: string
}

async function firstStoreOf({ database }: Place): Promise<string> {
  return (await database.sql('SELECT id FROM stores ORDER BY created_at, id LIMIT 1')).rows[0].id
}

async function addStore(
  { server: { instance }, modules, clock }: Place,
  client: string = randomUUID(),
): Promise<Store> {
  const now = clock.now()
  const id = await instance.database.transaction((connection) => createStore(connection, 'Store', now))
  await prepareStores(instance, modules)
  await createFirstKey(instance.database, id, `client-of-${client}`, secretOf(client), now)
  return { id, client }
}

async function worldIn(
  place: Place,
  transport: Transport,
  first: Store,
  end: () => Promise<void>,
): Promise<World> {
  const { database } = place
  const { url } = place.server
  const other = await addStore(place)
  const token = ({ client }: Store, grant: string) =>
    tokenOf(url, `client-of-${client}`, secretOf(client), grant)
  const clientWith = (bearer: string | undefined) => clientOf(url, bearer, transport)
  return {
    url,
    server: place.server,
    storeId: first.id,
    admin: clientWith(await token(first, 'client_credentials')),
    shopper: clientWith(await token(first, 'implicit')),
    other: clientWith(await token(other, 'client_credentials')),
    nobody: clientWith(undefined),
    othersSecret: secretOf(other.client),
    key: { id: `client-of-${first.client}`, secret: secretOf(first.client) },
    clientWith,
    work: workOf(place.server.instance, { store: first.id, by: 'tests request' }),
    database: database.name,
    sql: database.sql,
    feed: async (text, values) => {
      const { rows: stores } = await database.sql('SELECT DISTINCT store_id AS id FROM fresh_changes')
      // One after the other, in transactions of their own: one that locks several could deadlock with the sequencer.
      for (const { id } of stores) await database.sql('SELECT sequence_store($1)', [id])
      return database.sql(text, values)
    },
    close: async () => {
      hangUp()
      await end()
    },
  }
}
