// One of the processes that serve a port together. Its supervisor starts it, and tells it what to do.
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import type { CrewPlace, RunningServer } from './main.ts'
import { StartupError } from './platform/faults.ts'
import type { CrewOrder, CrewReport, Fault } from './platform/processes/messages.ts'
import type { ClosingLimits } from './platform/sockets/connections.ts'

// Before the server is loaded: Node compiles a file once, not at each start.
if (!getCompileCacheDir()) enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/node'))

let starting: Promise<RunningServer | undefined> = Promise.resolve(undefined)
let isStopping = false

// Ctrl-C and a terminal that closes reach the whole group, and are for the supervisor.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('SIGTERM', () => void stop())
process.on('message', (message: CrewOrder) => {
  if (message.order === 'start') void serve(message.place as CrewPlace)
  else if (message.order === 'stop') void stop(message.limits)
  else void answer(message.id)
})

async function serve(place: CrewPlace): Promise<void> {
  try {
    const { readConfig } = await import('./config.ts')
    const { start } = await import('./main.ts')
    const { firstColleagueLink } = await import('./first-start.ts')
    const config = readConfig()
    starting = start(config, {}, place)
    const running = await starting
    if (!running) return
    const { url, instance } = running
    const link =
      place.isFirst && config.console === 'on' ? await firstColleagueLink(instance, url) : undefined
    await tell({ report: 'ready', ready: { url, link } })
    await fail({ name: 'StartupError', message: await running.failed })
  } catch (error) {
    const { constructor: kind, message, stack, code } = error as NodeJS.ErrnoException
    // Errors of the file system and of PostgreSQL state the reason.
    const isReason = error instanceof StartupError || code !== undefined
    await fail({ name: kind.name, message: isReason ? message : (stack ?? message) })
  }
}

async function fail(fault: Fault): Promise<void> {
  if (isStopping) return
  await tell({ report: 'fault', fault })
  process.exit(1)
}

/** Also while it starts: then it stops as soon as it has started. */
async function stop(limits?: ClosingLimits): Promise<void> {
  if (isStopping) return
  isStopping = true
  const running = await starting.catch(() => undefined)
  await running?.stop(limits)
  process.exit(0)
}

async function answer(id: number): Promise<void> {
  const running = await starting.catch(() => undefined)
  await tell({ report: 'answer', id, answer: await running?.readMetrics?.() })
}

const tell = (report: CrewReport): Promise<void> =>
  new Promise((done) => {
    if (!process.send || !process.connected) return done()
    process.send(report, () => done())
  })
