import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ClientGone } from '../platform/faults.ts'
import { type ClosingLimits, closePolitely, inOrder } from '../platform/sockets/connections.ts'
import { askForBody, awaitBodyRequest } from '../platform/sockets/expect.ts'
import { type Operation, pathsOf } from './declare/operation.ts'
import { Problem } from './errors.ts'
import { unkept, withCaching } from './http/caching.ts'
import { compress } from './http/compress.ts'
import { waitForContent } from './http/file.ts'
import { refuseOtherMethods } from './http/other-methods.ts'
import { problemAnswer, problemOf } from './http/problems.ts'
import { bodyBytesMax } from './http/reading/body-limits.ts'
import {
  checkHeaders,
  headerBytesMax,
  refuseConnect,
  refuseUnreadable,
  requestTimeoutMs,
} from './http/reading/unreadable.ts'
import { canEndAtOnce, endAtOnce, refuseOldVersion, sendAnswer } from './http/send.ts'
import type { Admission } from './load/admission.ts'
import type { Module } from './module.ts'
import { countRefusal, countRequest, observe } from './request/observe.ts'
import { handle } from './request/pipeline.ts'
import type { Answer } from './shape/answer.ts'
import { isOutOfSpace } from './storage/disk-space.ts'
import type { Instance } from './work/context.ts'

/** A connection without progress for this long is closed, because its response stays in memory meanwhile. */
const stalledMaxMs = 120_000

/** The HTTP server with every operation of the modules; not yet listening. */
export function buildServer(
  instance: Instance,
  modules: readonly Module[],
  { trustProxy, compressedCharsMin, admission, closingLimits }: HttpOptions,
): FastifyInstance {
  const server = Fastify({
    loggerInstance: quieter(instance.log) as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: bodyBytesMax,
    // No timeout for plugins: they only wait for the processor, and closing waits for requests. A busy machine is not a
    // fault.
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
    // No hook runs for these.
    frameworkErrors: (error, request, reply) =>
      refuse(error, request as FastifyRequest, begin(request as FastifyRequest, reply as FastifyReply)),
    // A request without Host is refused below; Node would refuse it with an empty response.
    http: { maxHeaderSize: headerBytesMax, requireHostHeader: false },
    clientErrorHandler: refuseUnreadable,
  })
  server.server.on('connect', (_request, socket) => refuseConnect(socket))
  // RFC 9110 §10.1.1 lets a server ignore an unknown Expect; Node would refuse it with an empty response.
  server.server.on('checkExpectation', server.routing)
  server.server.on('checkContinue', (request, response) => {
    awaitBodyRequest(request, response)
    server.routing(request, response)
  })

  // Before the responses to preflights, which no later step sees.
  server.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    countRequest(reply.raw, operationOf(request)?.id ?? 'none')
    done()
  })

  // For browsers: every origin and every header, on refusals too. Tokens are never in cookies.
  server.register(cors, {
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: [
      ...['ETag', 'Link', 'X-Request-Id', 'Retry-After', 'Accept-Ranges', 'Content-Range'],
      ...['Sutler-Watermark', 'Sutler-Total-Count', 'Sutler-Feed-Position'],
      ...['RateLimit', 'RateLimit-Policy'],
    ],
    maxAge: 86_400,
    // Monitoring tools send OPTIONS without being browsers.
    strictPreflight: false,
  })

  // The pipeline parses bodies, since it knows what the operation accepts; clients send any Content-Type.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  server.addHook('onRequest', ({ raw }, reply, done) => inOrder(raw, reply.raw, done))

  server.addHook('onRequest', (request, reply, done) => {
    const fault = checkHeaders(request.raw)
    const operation = admission && !fault && operationOf(request)
    const refusal = operation && admission.refusalOf(operation, request)
    if (!refusal) return done(fault)
    void refusal.then((problem) => {
      if (!canEndAtOnce(request.raw)) return done(problem)
      countRefusal(problem.reason)
      endAtOnce(reply, problemAnswer(problem, request.id))
    })
  })

  let refusalOfOther: ReturnType<typeof refuseOtherMethods> = () => undefined

  // The server asks for a body of the usual size at once, and refuses a larger one without asking. It asks for an
  // upload when the action reads it.
  server.addHook('preParsing', ({ method, url, raw, routeOptions }, _reply, payload, done) => {
    const { unread } = routeOptions.config as { readonly unread?: boolean }
    const isUnread = unread || refusalOfOther(method, url)
    if (!isUnread && !(Number(raw.headers['content-length']) > bodyBytesMax)) askForBody(raw)
    done(null, payload)
  })

  closePolitely(server, closingLimits)
  server.setErrorHandler(refuse)

  const operations = modules.flatMap((module) => module.operations)
  const route = (routes: FastifyInstance, operation: Operation) => {
    for (const url of pathsOf(operation))
      routes.route({
        method: hasHead(operation) ? [operation.method, 'HEAD'] : operation.method,
        url,
        // Fastify's own HEAD would read a whole file to compute its length.
        exposeHeadRoute: false,
        config: { unread: takesUpload(operation), operation },
        handler: (request, reply) =>
          observe(instance, operation, request, reply, async (timings) => {
            try {
              const entered = admission?.enter(operation, request, timings)
              if (entered) timings.place = entered instanceof Promise ? await entered : entered
              const answer = await respond(instance, operation, request, reply)
              const coded = compress(answer, operation, request, compressedCharsMin)
              return sendAnswer(reply, coded instanceof Promise ? await coded : coded)
            } finally {
              timings.place?.leave()
              timings.answered()
            }
          }),
      })
  }
  server.register(async (routes) => {
    for (const operation of operations.filter((one) => !takesUpload(one))) route(routes, operation)
  })
  server.register(async (routes) => {
    // Without a parser Fastify reads nothing of an upload before the pipeline has admitted its sender, and nothing for
    // a refused method.
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const operation of operations.filter(takesUpload)) route(routes, operation)
    refusalOfOther = refuseOtherMethods(routes, placesOf(operations))
  })
  server.setNotFoundHandler((request, reply) => {
    const { method, url } = request
    const nothing = new Problem('not_found', `There is nothing at ${method} ${url.split('?')[0]}.`)
    refuse(refusalOfOther(method, url) ?? nothing, request, reply)
  })
  return server
}

const operationOf = ({ routeOptions }: FastifyRequest) =>
  (routeOptions.config as { readonly operation?: Operation }).operation

const takesUpload = ({ of }: Operation) => of.is === 'action' && of.action.upload !== undefined

/** At level info Fastify logs its address, which main.ts already does. */
const quieter = (log: Instance['log']) =>
  log.isLevelEnabled('info') ? log.child({}, { level: 'warn' }) : log

interface HttpOptions {
  /** The proxies that may state the client's address, if any. */
  readonly trustProxy: false | string
  /** A response with fewer characters is not compressed; none is if it is undefined. */
  readonly compressedCharsMin: number | undefined
  /** Undefined if no request is refused in an overload. */
  readonly admission: Admission | undefined
  /** How long to wait for clients, asked when the server closes. */
  readonly closingLimits: () => ClosingLimits
}

/** The headers of every response. */
const begin = ({ id }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ 'x-request-id': id, ...unkept })

async function respond(
  instance: Instance,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const handled = await handle(instance, operation, request, (headers) => void reply.headers(headers))
  const answer = withCaching({ instance, operation, answer: handled })
  refuseOldVersion(answer, request.raw)
  if (request.method !== 'HEAD' && answer.body instanceof Readable) await waitForContent(answer.body)
  return answer
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ClientGone) return void reply.hijack()
  const problem = problemOf(error)
  countRefusal(problem.reason)
  // DiskSpace logs a full disk once, when a statement finds it.
  if (isOutOfSpace(problem.cause)) return void sendAnswer(reply, problemAnswer(problem, request.id))
  if (problem.code === 'unavailable') {
    // One line each, since an outage of the database causes many.
    request.log.warn({ request_id: request.id }, `${problem.detail} ${String(problem.cause ?? '')}`)
  } else if (problem.status >= 500 && problem.code !== 'not_implemented') {
    // Without the query, which may contain a sign-in code.
    request.log.error(
      { err: problem.cause ?? problem, request_id: request.id },
      `${request.method} ${request.url.split('?')[0]}`,
    )
  }
  sendAnswer(reply, problemAnswer(problem, request.id))
}

/** Every visit continues a sign-in, so a HEAD must not use it up. */
const hasHead = ({ method, of }: Operation) => method === 'GET' && !(of.is === 'action' && of.action.signsIn)

/** The paths of the operations, each once, with the methods that it answers. */
function placesOf(operations: readonly Operation[]) {
  const places = new Map<string, { readonly url: string; readonly allowed: Set<string> }>()
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      const key = path.replace(/:\w+/g, ':')
      const { url, allowed } = places.get(key) ?? { url: path, allowed: new Set() }
      places.set(key, { url, allowed: allowed.add(operation.method) })
      if (hasHead(operation)) allowed.add('HEAD')
    }
  }
  return [...places.values()]
}
