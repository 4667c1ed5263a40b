import Fastify, { type FastifyInstance } from 'fastify'

/**
 * A server of the page that shows the API document. Loading the page takes a fifth of the start of a process, and most
 * processes never show it: so it is opened at its first request.
 */
export async function openDocsPage(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const pages = Fastify()
  await pages.register(apiReference, page)
  return pages
}

const page = {
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
    authentication: { preferredSecurityScheme: 'applicationKey' },
  },
} as const
