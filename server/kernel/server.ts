import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ClientGone } from '../platform/faults.ts'
import { closePolitely } from '../platform/sockets/close-politely.ts'
import { askForBody, awaitBodyRequest } from '../platform/sockets/expect.ts'
import { inOrder } from '../platform/sockets/one-by-one.ts'
import { type Operation, pathsOf } from './declare/operation.ts'
import { Problem } from './errors.ts'
import { bodyBytesMax } from './http/body.ts'
import { waitForContent } from './http/file.ts'
import { problemAnswer, problemOf } from './http/problems.ts'
import { sendAnswer } from './http/send.ts'
import { headerBytesMax, refuseConnect, refuseUnreadable, requestTimeoutMs } from './http/unreadable.ts'
import type { Module } from './module.ts'
import { handle } from './request/pipeline.ts'
import { isOutOfSpace } from './storage/disk-space.ts'
import type { Instance } from './work/context.ts'

/** A connection on which nothing moves for so long is closed: its answer is in memory all the while. */
const stalledMaxMs = 120_000

/** The HTTP server with every operation of the modules; not yet listening. */
export function buildServer(
  instance: Instance,
  modules: readonly Module[],
  trustProxy: FastifyTrust,
): FastifyInstance {
  const server = Fastify({
    loggerInstance: quieter(instance.log) as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: bodyBytesMax,
    // Plugins wait for nothing but the processor, and a close for its requests: a busy machine is no fault of theirs.
    pluginTimeout: 0,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: stalledMaxMs,
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
    // A request without Host is refused below: Node would do it without a word.
    http: { maxHeaderSize: headerBytesMax, requireHostHeader: false },
    clientErrorHandler: refuseUnreadable,
  })
  server.server.on('connect', (_request, socket) => refuseConnect(socket))
  // RFC 9110 §10.1.1 lets a server pass over an Expect that it does not know; Node would refuse it without a word.
  server.server.on('checkExpectation', server.routing)
  server.server.on('checkContinue', (request, response) => {
    awaitBodyRequest(request, response)
    server.routing(request, response)
  })

  // Browsers: every origin, every header a client sends, on refusals too. Tokens are never in cookies.
  server.register(cors, {
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['ETag', 'Link', 'X-Request-Id', 'Retry-After', 'Accept-Ranges', 'Content-Range'],
    maxAge: 86_400,
    // Whoever watches over the server asks OPTIONS without being a browser.
    strictPreflight: false,
  })

  // A body is bytes until the pipeline knows what the operation takes: clients label it with anything.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  server.addHook('onRequest', ({ raw }, reply, done) => inOrder(raw, reply.raw, done))

  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // RFC 9112 §3.2. Before HTTP/1.1 there was no such header.
    const named = request.headers.host !== undefined || request.raw.httpVersion !== '1.1'
    done(named ? undefined : new Problem('bad_request', 'The Host header is required.', { source: 'Host' }))
  })

  // A body of the usual size is read whatever becomes of it; one that is too large is refused without. An upload is not
  // asked for before it is read.
  server.addHook('preParsing', ({ raw, routeOptions }, _reply, payload, done) => {
    const { unread } = routeOptions.config as { readonly unread?: boolean }
    if (!unread && !(Number(raw.headers['content-length']) > bodyBytesMax)) askForBody(raw)
    done(null, payload)
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
  const route = (routes: FastifyInstance, operation: Operation) => {
    for (const url of pathsOf(operation))
      routes.route({
        method: hasHead(operation) ? [operation.method, 'HEAD'] : operation.method,
        url,
        // Fastify's own would read the content of a file to its end, to tell its length.
        exposeHeadRoute: false,
        config: { unread: takesUpload(operation) },
        handler: (request, reply) => respond(instance, operation, request, reply),
      })
  }
  server.register(async (routes) => {
    for (const operation of operations.filter((one) => !takesUpload(one))) route(routes, operation)
  })
  server.register(async (routes) => {
    // Nothing of an upload is read before the pipeline has let its sender in, and nothing of a method that is refused.
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const operation of operations.filter(takesUpload)) route(routes, operation)
    refuseOtherMethods(routes, operations)
  })
  return server
}

const takesUpload = ({ of }: Operation) => of.is === 'action' && of.action.upload !== undefined

/** At level info Fastify tells where it listens. The operator is told that by main.ts, once. */
const quieter = (log: Instance['log']) =>
  log.isLevelEnabled('info') ? log.child({}, { level: 'warn' }) : log

/** The proxies that may say who the client is, if any. */
export type FastifyTrust = false | string

async function respond(
  instance: Instance,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const answer = await handle(instance, operation, request)
  if (request.method !== 'HEAD') await waitForContent(answer)
  return sendAnswer(reply, answer)
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ClientGone) return void reply.hijack()
  const problem = problemOf(error)
  // Said once, where it was found.
  if (isOutOfSpace(problem.cause)) return void sendAnswer(reply, problemAnswer(problem, request.id))
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
  sendAnswer(reply, problemAnswer(problem, request.id))
}

/** A sign-in goes on with every visit: who only wants to look at its address must not use it up. */
const hasHead = ({ method, of }: Operation) => method === 'GET' && !(of.is === 'action' && of.action.signsIn)

// OPTIONS is answered for every path, and CONNECT is for none.
const methods = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/** RFC 9110 §15.5.6: a known path with another method is a 405 that says what is allowed. */
function refuseOtherMethods(server: FastifyInstance, operations: readonly Operation[]): void {
  // So made known, a method has no body: nothing in a body changes the answer.
  const used = new Set<string>(operations.map(({ method }) => method))
  for (const method of methods.filter((method) => !used.has(method)))
    server.addHttpMethod(method, { overrideExisting: true })
  const places = new Map<string, { readonly url: string; readonly allowed: Set<string> }>()
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      const key = path.replace(/:\w+/g, ':')
      const { url, allowed } = places.get(key) ?? { url: path, allowed: new Set() }
      places.set(key, { url, allowed: allowed.add(operation.method) })
      if (hasHead(operation)) allowed.add('HEAD')
    }
  }
  for (const { url, allowed } of places.values()) {
    const allow = [...allowed, 'OPTIONS'].join(', ')
    server.route({
      method: methods.filter((method) => !allowed.has(method)),
      url,
      exposeHeadRoute: false,
      config: { unread: true },
      handler: ({ method }) => {
        const detail = `${method} is not allowed here; use ${allow}.`
        throw new Problem('method_not_allowed', detail, { headers: { allow } })
      },
    })
  }
}
