import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { type Config, readConfig } from './config.ts'
import { type MetricsOfProcess, textOfProcesses } from './kernel/metrics/metrics-of-processes.ts'
import type { CrewPlace } from './main.ts'
import { StartupError, StartupRefusal, WrongSetting } from './platform/faults.ts'
import { startEmbedded } from './platform/postgres/embedded.ts'
import { settings as embeddedSettings } from './platform/postgres/settings.ts'
import { Crew } from './platform/processes/crew.ts'
import type { Fault } from './platform/processes/messages.ts'
import { type ClosingLimits, closingLimits } from './platform/sockets/connections.ts'
import { serveMetrics } from './serve-metrics.ts'

/** A server of several processes. */
export interface RunningCrew {
  readonly url: string
  /** The link that makes somebody the first colleague; undefined if there is one. */
  readonly link: string | undefined
  /** Rejects when the server cannot go on. */
  readonly failed: Promise<never>
  /** Puts a new process in the place of each, one after the other, without a refused request. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A restart is in no hurry: other processes serve meanwhile. */
const restartLimits: ClosingLimits = { idleMs: 5000, requestsMs: 60_000 }

/**
 * Starts the embedded PostgreSQL, if there is no DATABASE_URL, and the processes of SUTLER_PROCESSES. They do all the
 * work: this process keeps them, and loads nothing else.
 */
export async function supervise(config: Config = readConfig()): Promise<RunningCrew> {
  const log = pino({ level: config.logLevel })
  const undo: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (let part = undo.pop(); part; part = undo.pop()) await part()
  }
  try {
    const embedded = config.databaseUrl
      ? undefined
      : await startEmbedded(config.dataDir, { max_connections: embeddedConnections(config) })
    if (embedded) undo.push(() => embedded.stop())
    const crew = newCrew(config, embedded?.url, log)
    undo.push(() => crew.stop(closingLimits))
    const { url, link } = (await crew.start()) as { readonly url: string; readonly link?: string }
    const metrics = await serveMetrics(config, log, async () => {
      const answers = await crew.ask()
      return textOfProcesses(
        answers.map(({ slot, answer }) => ({ label: String(slot), metrics: answer as MetricsOfProcess })),
      )
    })
    if (metrics) undo.push(async () => metrics.stop())
    return {
      ...{ url, link },
      failed: Promise.race([
        crew.failed.then(async (fault) => {
          await stop()
          throw errorOf(fault)
        }),
        ...(embedded ? [embedded.exited.then((reason) => Promise.reject(new StartupError(reason)))] : []),
      ]),
      async restart() {
        log.info('the processes are replaced, one after the other')
        try {
          await crew.replace(restartLimits)
          log.info('all processes are replaced')
        } catch (fault) {
          log.error(`a new process cannot start, so the others go on: ${(fault as Fault).message}`)
        }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error instanceof Error ? error : errorOf(error as Fault)
  }
}

function newCrew({ processes: size }: Config, embeddedUrl: string | undefined, log: Logger): Crew {
  return new Crew({
    size,
    program: join(import.meta.dirname, `worker${import.meta.filename.slice(-3)}`),
    placeOf: (slot, isFirst): CrewPlace => ({ slot, embeddedUrl, isFirst }),
    onReady: (slot, pid) => log.info({ process: slot, process_pid: pid }, `process ${slot} is ready`),
    onEnd: ({ slot, pid, reason, againInMs }) =>
      log.error(
        { process: slot, process_pid: pid, reason },
        `process ${slot} ended: it is started again in ${againInMs} ms`,
      ),
  })
}

/** The connections of a process beside SUTLER_DATABASE_CONNECTIONS, and half of them, for slow reads. */
const otherConnections = 31
/** For commands, such as `sutler check totals`, and for PostgreSQL itself. */
const spareConnections = 10

/** While a process is replaced there is one more. */
export const embeddedConnections = ({
  processes,
  databaseConnections: own,
}: Pick<Config, 'processes' | 'databaseConnections'>): number =>
  Math.max(
    embeddedSettings.max_connections,
    (processes + 1) * (own + Math.max(1, Math.floor(own / 2)) + otherConnections) + spareConnections,
  )

/** The exit code of the command follows from the class. */
function errorOf({ name, message }: Fault): StartupError {
  if (name === 'WrongSetting') return new WrongSetting(message)
  return name === 'StartupRefusal' ? new StartupRefusal(message) : new StartupError(message)
}
