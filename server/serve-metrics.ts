import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { metricsServer } from './kernel/metrics/metrics-server.ts'
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
