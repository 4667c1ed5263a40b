import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from './config.ts'
import { orStartupError, portOf } from './listening.ts'

/** Serves metrics at the port for them, if there is one. */
export async function serveMetrics(
  { metricsPort, metricsHost: host }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  log: Logger,
  read: () => Promise<string>,
): Promise<{ readonly url: string; stop(): void } | undefined> {
  if (metricsPort === undefined) return undefined
  const server = metricsServer(read)
  await orStartupError({ port: metricsPort, host }, 'SUTLER_METRICS_', async () => {
    server.listen({ port: metricsPort, host })
    await once(server, 'listening')
  })
  const url = `http://localhost:${portOf(server, metricsPort)}/metrics`
  log.info(`metrics at ${url}`)
  return {
    url,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** `/metrics` on a port of its own, since it is for those who run the server; not yet listening. */
const metricsServer = (read: () => Promise<string>): Server =>
  createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('The metrics are at /metrics.\n')
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return
    }
    try {
      const text = await read()
      response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text)
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${(error as Error).message}\n`)
    }
  })
