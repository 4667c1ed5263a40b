import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Instance } from '../context.ts'
import { Problem } from '../errors.ts'
import type { Module, Operation } from '../module.ts'
import { handle } from '../pipeline.ts'
import type { Answer } from './answer.ts'
import { problemAnswer, problemOf } from './problems.ts'

const bodyBytesMax = 1024 * 1024
const requestTimeoutMs = 60_000
// A filter of 8 KiB takes three times as much once it is percent-encoded.
const headerBytesMax = 32 * 1024

/** What Node refuses before there is a request, by its error code. */
const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The URL and the headers are too large: at most ${headerBytesMax / 1024} KiB together.`,
  ERR_HTTP_REQUEST_TIMEOUT: `The request was not complete after ${requestTimeoutMs / 1000} seconds.`,
}

/** Text in another encoding would be stored maimed, so it is refused. A byte order mark is left out. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The HTTP server with every operation of the modules; not yet listening. */
export function buildServer(
  instance: Instance,
  modules: readonly Module[],
  trustProxy: FastifyTrust,
): FastifyInstance {
  const server = Fastify({
    loggerInstance: instance.log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    trustProxy,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: headerBytesMax,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      refuse(error, request as FastifyRequest, reply as FastifyReply),
    http: { maxHeaderSize: headerBytesMax },
    clientErrorHandler: ({ code }, socket) => {
      const { body } = problemAnswer(
        new Problem('bad_request', unreadable[code] ?? 'The request is not well-formed HTTP.'),
        '',
      )
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
          `connection: close\r\n\r\n${body}`,
      )
    },
  })

  // Browsers: every origin, every header a client sends, on refusals too. Tokens are never in cookies.
  server.register(cors, {
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['ETag', 'Link', 'X-Request-Id', 'Retry-After'],
    maxAge: 86_400,
    // Whoever watches over the server asks OPTIONS without being a browser.
    strictPreflight: false,
  })

  // A body is text until the pipeline knows what the operation takes: clients label it with anything.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, utf8.decode(body as Buffer))
    } catch (error) {
      done(new Problem('bad_request', 'The body is not well-formed UTF-8.', { cause: error }))
    }
  })

  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })

  closePolitely(server)
  server.setErrorHandler(refuse)
  server.setNotFoundHandler((request, reply) =>
    refuse(
      new Problem('not_found', `There is nothing at ${request.method} ${request.url.split('?')[0]}.`),
      request,
      reply,
    ),
  )

  const operations = modules.flatMap((module) => module.operations)
  server.register(async (routes) => {
    for (const operation of operations) {
      routes.route({
        method: operation.method,
        url: operation.path,
        handler: (request, reply) => respond(instance, operation, request, reply),
      })
    }
    refuseOtherMethods(routes, operations)
  })
  return server
}

const closingMaxMs = 10_000

/**
 * While it closes, the server answers what it has received and lets each connection go with its answer: a client that
 * keeps connections open would otherwise keep the server up. What takes longer than the limit is cut off.
 */
function closePolitely(server: FastifyInstance): void {
  server.addHook('preClose', (done) => {
    setTimeout(() => server.server.closeAllConnections(), closingMaxMs).unref()
    done()
  })
}

export type FastifyTrust = boolean | string

async function respond(
  instance: Instance,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  return send(reply, await handle(instance, operation, request))
}

export function send(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  reply.code(status)
  // See closePolitely.
  if (!reply.server.server.listening) reply.header('connection', 'close')
  for (const name in headers) reply.header(name, headers[name])
  if (body !== '') reply.header('content-type', 'application/json')
  return reply.send(body)
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error)
  if (problem.code === 'unavailable') {
    // One line each: while the database is away there are many of them.
    request.log.warn({ request_id: request.id }, `${problem.detail} ${String(problem.cause ?? '')}`)
  } else if (problem.status >= 500 && problem.code !== 'not_implemented') {
    // Without the query: it may hold a code that someone signs in with.
    request.log.error(
      { err: problem.cause ?? problem, request_id: request.id },
      `${request.method} ${request.url.split('?')[0]}`,
    )
  }
  send(reply, problemAnswer(problem, request.id))
}

/** RFC 9110 §15.5.6: a known path with another method is a 405 that says what is allowed. */
function refuseOtherMethods(server: FastifyInstance, operations: readonly Operation[]): void {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of operations) {
    const key = path.replace(/:\w+/g, ':')
    byPath.set(key, (byPath.get(key) ?? new Set()).add(method))
  }
  const known = new Set<string>()
  for (const { path } of operations) {
    const key = path.replace(/:\w+/g, ':')
    if (known.has(key)) continue
    known.add(key)
    const methods = byPath.get(key) as Set<string>
    const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    server.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.has(method)),
      url: path,
      exposeHeadRoute: false,
      handler: (request) => {
        throw new Problem(
          'method_not_allowed',
          `${request.method} is not allowed here; allowed are ${allow}.`,
          {
            headers: { allow },
          },
        )
      },
    })
  }
}
