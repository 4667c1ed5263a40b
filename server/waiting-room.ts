import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from './config.ts'

/**
 * Answers on the server's port while a migration delays the start: health checks learn the reason, and clients that
 * they should come back. It opens when there is something to wait for.
 */
export class WaitingRoom {
  readonly #config: Config
  readonly #log: Logger
  #server: Server | undefined
  #reason = ''

  constructor(config: Config, log: Logger) {
    this.#config = config
    this.#log = log
  }

  open(reason: string): void {
    if (reason === this.#reason) return
    this.#reason = reason
    this.#log.info(`the start ${reason}`)
    const { port, host } = this.#config
    // Nobody knows the address of a free port yet.
    if (this.#server || port === 0) return
    this.#server = createServer((request, response) => {
      const isAlive = request.url === '/healthz'
      response.writeHead(isAlive ? 200 : 503, {
        'content-type': 'application/json; charset=utf-8',
        ...(!isAlive && { 'retry-after': '1' }),
        connection: 'close',
      })
      response.end(JSON.stringify(this.#answer(request.url ?? '')))
    })
    // If the port is in use, the server says so when it listens itself.
    this.#server.on('error', () => {})
    this.#server.listen(port, host)
  }

  #answer(url: string): object {
    if (url === '/healthz') return { status: 'ok' }
    if (url === '/readyz') return { status: this.#reason }
    const detail = `The server ${this.#reason}; try again in a moment.`
    return { errors: [{ status: '503', title: 'Service Unavailable', detail }] }
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    await new Promise((done) => {
      server.close(done)
      server.closeAllConnections()
    })
  }
}
