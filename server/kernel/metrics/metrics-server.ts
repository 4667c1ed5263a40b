import { createServer, type Server } from 'node:http'
import { Registry } from 'prom-client'

/** `/metrics` on a port of its own, since it is for those who run the server; not yet listening. */
export const metricsServer = (read: () => Promise<string>): Server =>
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
