import type { Config } from '../server/config.ts'
import { command, flag, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'
import { beginAgain, heapFlags } from './heap-flags.ts'

const firstColleague = (link: string) =>
  `\nNobody has a password for the console yet. Who opens this link becomes the first colleague, a Store Admin:\n\n${link}\n\n` +
  'It is valid for three days, and until the store has a colleague. The next start prints another one.\n'

export const start = command({
  name: 'start',
  group: 'Run',
  about: 'Starts the server, with its own PostgreSQL unless DATABASE_URL is set.',
  details:
    'It runs in the foreground, prints its addresses when it is ready, and logs JSON lines. The first start creates the\n' +
    'database in ./data, and prints a client id and a secret once. While the store has no colleague, each start prints a link for the first.\n' +
    '\n' +
    'Its settings are environment variables, or lines of the file that --config names: sutler config lists them.',
  options: {
    port: text('number', 'The port to listen on, in place of PORT.'),
    processes: text('n|auto', 'How many processes serve, in place of SUTLER_PROCESSES. By default one.'),
    demo: flag(
      'First makes the demo shop of sutler seed --demo, unless it is there. Refuses a store that has other data.',
    ),
    size: text('s|m|l', 'How large the demo shop is, also at the next start. By default m.'),
  },
  examples: [
    ['sutler', 'a shop in ./data, at http://localhost:8080'],
    ['SUTLER_DATA_DIR=./demo sutler start --demo', 'a demo shop for a first look'],
    ['SUTLER_DATA_DIR=./demo sutler start --demo --size s', 'a small one, which is ready sooner'],
    ['SUTLER_DATA_DIR=/srv/shop sutler start --port 9000', 'another port, and another directory'],
    ['sutler start --processes auto', 'a process for each core'],
    ['sutler start --config /etc/sutler.env', 'settings in a file'],
    [
      'DATABASE_URL=postgres://me@db/shop SUTLER_SECRET_FILE=/run/secrets/sutler sutler start',
      'your own PostgreSQL',
    ],
  ],
  leaves: 'it finishes the requests in flight, and stops its PostgreSQL.',
  async run({ options, signal, onHangUp, print, say, progress }) {
    if (options.size !== undefined && !options.demo) throw new WrongCall('--size belongs to --demo')
    const { readConfig, readSettings, setInEnvironment } = await import('../server/config.ts')
    if (options.port !== undefined) setInEnvironment('PORT', options.port)
    if (options.processes !== undefined) setInEnvironment('SUTLER_PROCESSES', options.processes)
    beginAgain(heapFlags, process.argv.slice(2))
    for (const line of readSettings().unknown) say(`sutler: ${line}`)
    if (options.demo) {
      const { howToUse, seedDemo } = await import('./seed.ts')
      const shop = await seedDemo(readConfig(), progress, { size: options.size })
      say(`The demo shop is ready. ${howToUse(shop)}\n`)
    }
    const config = readConfig()
    const server = await (config.processes > 1 ? startSeveral(config) : startOne(config))
    // A terminal that closes ends its server.
    if (server.restart && !process.stdin.isTTY) onHangUp(server.restart)
    const stopped = { text: '', data: { stopped: true } }
    const stop = new Promise<undefined>((done) => {
      if (signal.aborted) done(undefined)
      signal.addEventListener('abort', () => done(undefined), { once: true })
    })
    if (!signal.aborted) {
      const { url, link } = server
      print(`Sutler is ready at ${url} (open it in a browser; ${listed(pagesOf(url, config.console))})`, {
        ...{ ready: true, url },
        ...pagesOf(url, config.console),
      })
      if (link !== undefined) say(firstColleague(link))
    }
    await Promise.race([stop, server.failed])
    await server.stop()
    return stopped
  },
})

/** A server that a start has made. */
interface StartedServer {
  readonly url: string
  /** The link that makes somebody the first colleague, if there is none. */
  readonly link: string | undefined
  /** Rejects with the reason when it cannot go on. */
  readonly failed: Promise<never>
  /** Replaces its processes, if it has several. */
  readonly restart: (() => void) | undefined
  stop(): Promise<void>
}

async function startOne(config: Config): Promise<StartedServer> {
  const { start: startServer } = await import('../server/main.ts')
  const { firstColleagueLink } = await import('../server/first-start.ts')
  const { StartupError } = await import('../server/platform/faults.ts')
  const running = await startServer(config)
  const { url, instance } = running
  const link = config.console === 'on' ? await firstColleagueLink(instance, url) : undefined
  const failed = running.failed.then((reason) => Promise.reject(new StartupError(reason)))
  return { url, link, failed, restart: undefined, stop: () => running.stop() }
}

async function startSeveral(config: Config): Promise<StartedServer> {
  const { supervise } = await import('../server/supervisor.ts')
  const running = await supervise(config)
  return { ...running, restart: () => void running.restart() }
}

/** Where an operator looks first. */
const pagesOf = (url: string, console: 'on' | 'off') => ({
  ...(console === 'on' && { console: `${url}/console` }),
  ...{ docs: `${url}/docs`, health: `${url}/readyz` },
})

const listed = (pages: object) =>
  Object.entries(pages)
    .map(([name, address]) => `${name}: ${address}`)
    .join('; ')
