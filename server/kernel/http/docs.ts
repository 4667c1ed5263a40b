import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { ApiDocument } from '../openapi.ts'

/**
 * The API document for programs (`/openapi.json`) and for people (`/docs`). The page and its script come from this
 * server and ask nothing of any other, so that it works without the internet and tells no one who reads it.
 */
export function docs(
  server: FastifyInstance,
  document: () => ApiDocument,
  baseUrl: string | undefined,
): void {
  let text: string | undefined
  server.get('/openapi.json', (request, reply) => {
    text ??= JSON.stringify(document())
    const url = baseUrl ?? `${request.protocol}://${request.host}`
    reply.header('content-type', 'application/json')
    return reply.send(`{"servers":${JSON.stringify([{ url }])},${text.slice(1)}`)
  })
  server.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '../openapi.json',
      pageTitle: 'Sutler API',
      theme: 'default',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      persistAuth: true,
    },
  })
}
