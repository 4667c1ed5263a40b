import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { announce } from './announce.ts'
import { openDocsPage, sutlerApi } from './api-document.ts'
import { app, shopperTokens } from './app.ts'
import { bucketOf, type Config, filesDirOf, readConfig } from './config.ts'
import { serveConsole } from './console.ts'
import { findStoreWithoutColleagues, firstStart } from './first-start.ts'
import { sutlerPage } from './front-page.ts'
import { atMost } from './kernel/at-most.ts'
import { forgetAttempts } from './kernel/attempts/attempts.ts'
import type { AccessTable } from './kernel/auth/access.ts'
import { deriveKeys, type Keys } from './kernel/auth/keys.ts'
import { Tokens } from './kernel/auth/tokens.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { keepPartitions, keepPartitionsAhead } from './kernel/feed/keep-partitions.ts'
import { Sequencer } from './kernel/feed/sequence-changes.ts'
import { FeedWatcher } from './kernel/feed/watch.ts'
import { compressedCharsMin } from './kernel/http/compress.ts'
import { docs } from './kernel/http/docs.ts'
import { frontPage, type ServerState } from './kernel/http/front-page.ts'
import { faultOf, health } from './kernel/http/health.ts'
import { newId } from './kernel/ids.ts'
import { Admission, type AdmissionLimits } from './kernel/load/admission.ts'
import type { MetricsOfProcess } from './kernel/metrics/metrics-of-processes.ts'
import { type Module, mustHaveRows, outsideCallsOf } from './kernel/module.ts'
import { mergeTotals } from './kernel/query/merge-totals.ts'
import { forgetIdempotencyKeys } from './kernel/request/idempotency.ts'
import { buildServer } from './kernel/server.ts'
import { giveWay } from './kernel/storage/connections/slow-reads.ts'
import { Database, statementMaxMs } from './kernel/storage/database.ts'
import { DiskSpace } from './kernel/storage/disk-space.ts'
import { NodeHomes, oneHome, urlOfNode } from './kernel/storage/nodes/homes.ts'
import type { Databases } from './kernel/storage/nodes/node.ts'
import { Nodes } from './kernel/storage/nodes/nodes.ts'
import { Replicas } from './kernel/storage/replicas/replicas.ts'
import { Watermark } from './kernel/storage/watermark.ts'
import { exportTraces } from './kernel/traces/spans.ts'
import { traceOfLog } from './kernel/traces/trace-context.ts'
import { Finisher } from './kernel/upgrades/finisher.ts'
import { lastMigration } from './kernel/upgrades/migrations.ts'
import { Processes } from './kernel/upgrades/processes.ts'
import { backgroundConnections } from './kernel/work/background.ts'
import type { Instance } from './kernel/work/context.ts'
import { prepareStores } from './kernel/work/every-store.ts'
import { type ExportLimits, Exports } from './kernel/work/exports.ts'
import { jobConnections, startJobs } from './kernel/work/jobs.ts'
import { type Mailer, smtp } from './kernel/work/mail.ts'
import { Outbox } from './kernel/work/outbox.ts'
import { forgetErrands, resumeErrandJob } from './kernel/work/outside-calls.ts'
import { renewSeals } from './kernel/work/secret-records.ts'
import { orStartupError, portOf } from './listening.ts'
import { measure } from './measure.ts'
import { access as appAccess, findActiveKey, findActiveSession, persons } from './people/index.ts'
import { ExportReads, ReadRecorder, Register } from './personal-data/index.ts'
import { diskBlobs, mustBeWritable } from './platform/blobs/disk-blobs.ts'
import { s3Blobs } from './platform/blobs/s3-blobs.ts'
import { StartupError } from './platform/faults.ts'
import { startEmbedded } from './platform/postgres/embedded.ts'
import { isIn, isPublic } from './platform/sockets/addresses.ts'
import { type ClosingLimits, closingLimits } from './platform/sockets/connections.ts'
import { migrateAll } from './prepare-database.ts'
import { useSecrets } from './secrets.ts'
import { serveMetrics } from './serve-metrics.ts'
import { WaitingRoom } from './waiting-room.ts'

/** A server that listens. */
export interface RunningServer {
  readonly url: string
  /** Where its metrics are, if it has a port for them. */
  readonly metricsUrl: string | undefined
  readonly instance: Instance
  /** Hands it a request of this process, without a connection. */
  readonly inject: FastifyInstance['inject']
  /** Settles with a reason when the server cannot go on. */
  readonly failed: Promise<string>
  /** What it measures, for the supervisor of a process that has a place. */
  readonly readMetrics: (() => Promise<MetricsOfProcess>) | undefined
  /** Finishes the requests in flight, then stops everything that was started. */
  stop(limits?: ClosingLimits): Promise<void>
}

/** Parts that a test may replace: the clock, mail, time limits, modules. */
export interface Swaps {
  readonly clock?: Clock
  readonly mail?: Mailer
  readonly statementMaxMs?: number
  readonly exportLimits?: ExportLimits
  readonly compressedCharsMin?: number
  readonly admissionLimits?: AdmissionLimits
  readonly modules?: readonly Module[]
  /** Has a row for every area of the modules. */
  readonly access?: AccessTable
}

/** The place of a process beside others with the same supervisor. */
export interface CrewPlace {
  /** Which one it is, from 1 on. One that replaces another has the number of that one. */
  readonly slot: number
  /** The PostgreSQL that the supervisor has started, if there is no DATABASE_URL. */
  readonly embeddedUrl: string | undefined
  /** No other process serves yet, so this one says what the start waits for. */
  readonly isFirst: boolean
}

const stoppingMaxMs = 10_000

/** For long work that must not delay requests: jobs, background work, the sequencer, and two to finish migrations. */
const connectionsBesideRequests = jobConnections + backgroundConnections + 3

/** Builds every part, in order, once. Without a place it is the only process of the server. */
export async function start(
  config: Config = readConfig(),
  swaps: Swaps = {},
  place?: CrewPlace,
): Promise<RunningServer> {
  const { clock = systemClock, modules = app, access = appAccess } = swaps
  mustHaveRows(access, modules)
  const log = pino({ level: config.logLevel, mixin: traceOfLog }).child(place ? { process: place.slot } : {})
  const processName = `process-${newId()}`
  // Stopped in the reverse order, also if a later part fails to start.
  const undo: (() => Promise<unknown>)[] = []
  let limits = closingLimits
  const stop = async (given: ClosingLimits = closingLimits) => {
    limits = given
    for (let part = undo.pop(); part; part = undo.pop()) await part()
  }
  try {
    if (config.traceEndpoint !== undefined) undo.push(await exportTracesOf(config, processName))
    const embedded = config.databaseUrl || place ? undefined : await startEmbedded(config.dataDir)
    if (embedded) undo.push(() => embedded.stop())
    const embeddedUrl = config.databaseUrl ? undefined : (place?.embeddedUrl ?? embedded?.url)
    const databaseUrl = config.databaseUrl ?? embeddedUrl ?? ''
    const limitMs = swaps.statementMaxMs ?? statementMaxMs
    const { directDatabaseUrl: directUrl } = config
    const database = new Database(databaseUrl, config.databaseConnections, {
      ...{ limitMs, plansOnce: true, directUrl },
      giveWay: embeddedUrl === undefined ? undefined : giveWay,
    })
    const jobDatabase = new Database(databaseUrl, connectionsBesideRequests, {
      ...{ name: 'jobs', directUrl },
    })
    undo.push(() => Promise.all([database.close(), jobDatabase.close()]))
    const replicas = replicasOf(config, database, log)
    undo.push(async () => replicas?.close())
    const disk = new DiskSpace(database, log)
    undo.push(async () => disk.stop())
    database.onNoSpace = jobDatabase.onNoSpace = () => disk.note()
    await database.mustBeReachable()
    const waitingRoom = new WaitingRoom(config, log)
    undo.push(() => waitingRoom.close())
    await migrateAll(jobDatabase, (reason) => {
      // Beside others that serve it would answer what they can answer.
      if (!place || place.isFirst) waitingRoom.open(reason)
    })
    await waitingRoom.close()
    const nodes = new Nodes(jobDatabase)
    const nodeHomes = (await nodes.areMany())
      ? nodeHomesOf(config, { requests: database, jobs: jobDatabase }, log)
      : undefined
    undo.push(async () => nodeHomes?.stop())
    await nodeHomes?.start()
    const processes = new Processes(jobDatabase, log, {
      ...{ name: processName, version: packageJson.version, lastMigration: await lastMigration() },
    })
    undo.push(() => processes.stop())
    await processes.start()
    const secrets = await useSecrets(config, database, clock)
    const [bucket, filesDir] = [bucketOf(config), filesDirOf(config)]
    if (!bucket && config.filesDir !== undefined) await mustBeWritable(filesDir, 'SUTLER_FILES_DIR')
    const blobs = bucket ? await s3Blobs(bucket, filesDir) : diskBlobs(filesDir)
    undo.push(async () => blobs.close())
    // What works beside requests. All of it stops at once: each may wait for a database that is silent.
    const workers: (() => Promise<unknown>)[] = []
    undo.push(() => Promise.all(workers.map((stopOne) => atMost(stoppingMaxMs, stopOne()))))

    await keepPartitions(jobDatabase)
    const feed = new FeedWatcher(jobDatabase, nodes, log)
    const sequencer = new Sequencer(jobDatabase, nodes, log, (storeIds) => feed.note(storeIds))
    workers.push(() => sequencer.stop())
    const outbox = await Outbox.open(jobDatabase, nodes, log)
    workers.push(async () => outbox?.stop())
    const watermark = new Watermark(jobDatabase, clock, log)
    workers.push(() => watermark.stop())
    await watermark.start()
    const finisher = new Finisher(jobDatabase, log)
    workers.push(() => finisher.stop())
    finisher.start()
    const register = new Register(modules)
    const reads = new ReadRecorder(register, database, clock, log)
    workers.push(() => reads.stop())
    const shopperTokenKeys = new Map(
      shopperTokens.map(({ kind }) => [kind, deriveKeys(secrets, `shopper-token ${kind}`)]),
    )
    await replicas?.start()
    const homes = nodeHomes?.requests ?? oneHome(database)
    const ofJobs = { database: jobDatabase, homes: nodeHomes?.jobs ?? oneHome(jobDatabase) }
    const instance: Instance = {
      database,
      homes,
      readers: replicas ? oneHome(replicas) : homes,
      nodes,
      outbox,
      processName,
      tokens: new Tokens(
        secrets,
        clock,
        config.tokenLifetimeS,
        (store, key) => findActiveKey(homes.of(store), store, key),
        (store, session) => findActiveSession(homes.of(store), store, session, clock.now()),
      ),
      access,
      persons,
      shopperTokens,
      clock,
      log,
      shopperTokenKeys: (kind) => shopperTokenKeys.get(kind) as Keys,
      cursorKeys: deriveKeys(secrets, 'cursor'),
      linkKeys: deriveKeys(secrets, 'link'),
      sealKeys: deriveKeys(secrets, 'sealed-values'),
      mail:
        swaps.mail ?? (config.smtpUrl && config.mailFrom ? smtp(config.smtpUrl, config.mailFrom) : undefined),
      blobs,
      onRead: (ctx, resource, row) => reads.record(ctx, resource, row),
      collectReads: (ctx) => new ExportReads(register, ctx),
      exports: new Exports(swaps.exportLimits),
      onWrite: (storeId) => {
        sequencer.wake(storeId)
        outbox?.wake(storeId)
      },
      feed,
      watermark: () => watermark.text,
      mayConnect: (address) => isPublic(address) || isIn(config.providerNetworks, address),
      maySendTo: (address) => isPublic(address) || isIn(config.webhookNetworks, address),
      strictPasswords: config.strictPasswords,
      apiDocument: (own) => sutlerApi(modules, access, own),
      explainsToShoppers: config.explainsToShoppers,
      slowMs: config.slowMs,
      shopperWritesMax: config.shopperWritesMax,
      requestRates: config.requestRates,
      processCount: () => processes.count,
      baseUrl: config.baseUrl,
      keepsIds: config.keepsIds,
      services: { stripe: config.stripeUrl },
    }
    await firstStart(database, config, clock, (credentials) => announce(credentials, config))
    await prepareStores(instance, modules)
    const renewal = renewSeals(secrets, modules)
    await renewal.run(instance)
    const chores = modules.flatMap((module) => module.chores)
    const jobs = await startJobs(
      [resumeErrandJob(outsideCallsOf(modules)), ...modules.flatMap((module) => module.jobs)],
      [
        mergeTotals,
        keepPartitionsAhead,
        forgetIdempotencyKeys,
        forgetErrands,
        forgetAttempts,
        renewal,
        ...chores,
      ],
      { ...instance, ...ofJobs },
    )
    workers.push(() => jobs.stop())
    for (const { start: begin } of modules.flatMap(({ background }) => background)) {
      const started = begin({ ...instance, ...ofJobs })
      workers.push(() => started.stop())
    }
    const admission = config.refusesOverload ? new Admission(log, swaps.admissionLimits) : undefined
    const directories = { data: config.dataDir, files: filesDirOf(config) }
    const metrics =
      config.metricsPort === undefined
        ? undefined
        : await measure({
            ...{ instance, jobDatabase, replicas, nodes: nodeHomes, modules, admission, directories },
            version: packageJson.version,
          })
    if (metrics) workers.push(() => metrics.stop())
    const metricsServer =
      metrics && !place ? await serveMetrics(config, log, () => metrics.text()) : undefined
    if (metricsServer) workers.push(async () => metricsServer.stop())
    const server = buildServer(instance, modules, {
      trustProxy: config.trustProxy,
      compressedCharsMin: config.compresses ? (swaps.compressedCharsMin ?? compressedCharsMin) : undefined,
      admission,
      closingLimits: () => limits,
    })
    health(server, database, disk)
    docs(server, instance.apiDocument, config.baseUrl, openDocsPage)
    const hasConsole = config.console === 'on'
    const page = async (state: ServerState) =>
      sutlerPage({
        ...{ ...state, hasConsole },
        needsColleague:
          hasConsole && !state.fault && (await findStoreWithoutColleagues(database)) !== undefined,
      })
    frontPage(server, config.baseUrl, () => faultOf(database, disk), page)
    if (hasConsole) serveConsole(server)
    undo.push(() => {
      // Readers who wait for changes would keep their connections open.
      feed.stop()
      return server.close()
    })
    const url = await listen(server, config)
    return {
      url,
      metricsUrl: metricsServer?.url,
      readMetrics: metrics && (() => metrics.read()),
      instance,
      inject: server.inject.bind(server),
      failed: Promise.race([processes.failed, ...(embedded ? [embedded.exited] : [])]),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The nodes of a database that Citus has distributed. */
function nodeHomesOf(config: Config, coordinator: Databases, log: Logger): NodeHomes {
  const { databaseUrl = '', databaseConnections } = config
  mustSuitNodes(config)
  return new NodeHomes(
    coordinator,
    (address) => {
      const [url, name] = [urlOfNode(databaseUrl, address), `node-${address.group}`]
      return {
        requests: new Database(url, databaseConnections, { name, limitMs: statementMaxMs }),
        jobs: new Database(url, connectionsBesideRequests, { name: `${name}-jobs` }),
      }
    },
    log,
  )
}

/** Each node has connections and replicas of its own, which these settings do not name. */
function mustSuitNodes({ replicaUrls, directDatabaseUrl }: Config): void {
  const setting = replicaUrls
    ? 'SUTLER_REPLICAS'
    : directDatabaseUrl !== undefined
      ? 'SUTLER_DIRECT_DATABASE_URL'
      : undefined
  if (setting)
    throw new StartupError(
      `${setting} is for one PostgreSQL, and Citus has distributed this database: remove the setting, and let DATABASE_URL name the coordinator`,
    )
}

/** The replicas that the settings name, if there are any. */
function replicasOf(
  { replicaUrls, databaseConnections, directDatabaseUrl }: Config,
  database: Database,
  log: Logger,
): Replicas | undefined {
  if (!replicaUrls) return undefined
  const urls = replicaUrls.map((url, i) => [`replica-${i + 1}`, url] as const)
  const open = (name: string, url: string) =>
    new Database(url, databaseConnections, {
      ...{ name, limitMs: statementMaxMs, plansOnce: true },
      // One of them may be behind a pooler too.
      directUrl: directDatabaseUrl && url,
    })
  return new Replicas(database, Object.fromEntries(urls.map(([name, url]) => [name, open(name, url)])), log)
}

const exportTracesOf = (config: Config, processName: string) =>
  exportTraces({
    endpoint: config.traceEndpoint as string,
    headers: config.traceHeaders ?? {},
    share: config.traceShare,
    serviceName: config.serviceName,
    version: packageJson.version,
    processName,
  })

async function listen(server: ReturnType<typeof buildServer>, { port, host }: Config): Promise<string> {
  await orStartupError({ port, host }, '', () => server.listen({ port, host }))
  return `http://localhost:${portOf(server.server, port)}`
}
