import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction, OnReadOpts, Socket } from 'node:net'
import { readBeginning } from '../../kernel/http/reading/read-up-to.ts'
import { rangeNameOf } from '../../platform/sockets/addresses.ts'
import {
  checkedLookup,
  type MayConnect,
  mustAllowLiteral,
  RefusedHost,
  type ResolveName,
} from '../../platform/sockets/checked-lookup.ts'
import { nameResolver } from '../../platform/sockets/resolve-name.ts'

/** Shorter than servers usually keep an idle connection open. */
const idleMs = 4_000
/** Connections to one host that wait for the next message. */
const idleMax = 4
const headerBytesMax = 16 * 1024
/** Statuses of 1xx before a response. Receivers send one or two. */
const interimMax = 16
/** What one read of a socket takes at most. Node parses all of it, whatever the beginning says. */
const readBytesMax = 2 * 1024

/** Reads sockets in short pieces. */
const onread: OnReadOpts = {
  buffer: () => Buffer.allocUnsafe(readBytesMax),
  callback(this: Socket, bytes: number, buffer: Uint8Array) {
    return this.push(buffer.subarray(0, bytes))
  },
}

/**
 * The way out: merchants choose the hosts, and must not reach what only this server can reach. Every connection goes to
 * an address that was checked.
 */
export interface Network {
  readonly lookup: LookupFunction
  /** Refuses a host that is an address, if the address is not allowed. */
  mustAllow(hostname: string): void
  readonly agents: Readonly<Record<string, http.Agent>>
  /** Closes the connections that wait. */
  close(): void
}

export function openNetwork(mayConnect: MayConnect, resolve: ResolveName = nameResolver()): Network {
  const lookup = checkedLookup(resolve, mayConnect, refuseHost)
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: idleMax, lookup, onread }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  return {
    lookup,
    mustAllow: (hostname) => mustAllowLiteral(hostname, mayConnect, refuseHost),
    agents,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Merchants read the refusal, so it does not tell them which addresses a name has in the networks of the operator. */
function refuseHost(host: string, [first = '']: readonly string[]): never {
  throw new RefusedHost(
    host === first
      ? `${host} is not a public address. The operator can allow it: SUTLER_WEBHOOK_NETWORKS=${rangeNameOf(first)}.`
      : `${host} is not at a public address. The operator can allow its network with SUTLER_WEBHOOK_NETWORKS.`,
  )
}

/** The parts of a body. */
export type RequestBody = readonly (string | Uint8Array)[]

interface HttpRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** At most as many bytes as the caller reads. */
  readonly body: Buffer
  /** Whether that is all of it. */
  readonly isWhole: boolean
  /** Whether the body did not end in time. */
  readonly isSlow: boolean
}

/** How much of a body is read. */
interface ResponseLimits {
  readonly bytesMax: number
  /** Default: until the request is aborted. */
  readonly bodyMs?: number
}

/** Sends a request, and reads the beginning of the response. It follows no redirects. */
export async function exchange(
  network: Network,
  request: HttpRequest,
  limits: ResponseLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  network.mustAllow(request.url.hostname)
  const answer = await sendOnce(network, request, signal)
  const { body, isLonger, isSlow } = await readInTime(answer, limits, signal)
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')])
  const isWhole = answer.complete && !isLonger
  return {
    ...{ status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), isWhole, isSlow },
    body,
  }
}

function sendOnce(
  network: Network,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const { url, method, headers, body } = request
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const agent = network.agents[url.protocol]
  if (!agent) throw new Error('The URL must begin with https:// or http://.')
  const options = { agent, method, signal, maxHeaderSize: headerBytesMax }
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
    ...options,
    headers: { ...headers, 'content-length': String(bytesOf(body)) },
  })
  let interim = 0
  outgoing.on('information', () => {
    if (++interim > interimMax)
      outgoing.destroy(new Error('There were only statuses of 1xx, and no response.'))
  })
  outgoing.once('response', resolve)
  outgoing.once('upgrade', (answer, socket) => {
    socket.destroy()
    resolve(answer)
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // The server closed an idle connection: that is not an answer, so the request is sent again.
    if (outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? ''))
      sendOnce(network, request, signal).then(resolve, reject)
    else reject(error)
  })
  for (const part of body) outgoing.write(part)
  outgoing.end()
  return promise
}

const bytesOf = (body: RequestBody): number => body.reduce((sum, part) => sum + Buffer.byteLength(part), 0)

/** The status has arrived: a body that ends early, or never, does not change it. */
async function readInTime(
  answer: http.IncomingMessage,
  { bytesMax, bodyMs }: ResponseLimits,
  signal: AbortSignal,
) {
  let isLate = false
  const giveUp = () => {
    isLate = true
    answer.destroy()
  }
  const timer = bodyMs === undefined ? undefined : setTimeout(giveUp, bodyMs)
  const { bytes: body, isLonger } = await readBeginning(answer, bytesMax)
  clearTimeout(timer)
  return { body, isLonger, isSlow: isLate || signal.aborted }
}
