import * as http from 'node:http'
import * as https from 'node:https'
import type { CustomFetchOptions } from 'openid-client'
import { readUpTo } from '../../kernel/http/reading/read-up-to.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { isLoopback, rangeNameOf } from '../../platform/sockets/addresses.ts'
import { checkedLookup, type MayConnect, mustAllowLiteral } from '../../platform/sockets/checked-lookup.ts'
import { askSystem } from '../../platform/sockets/resolve-name.ts'

/** Of a whole response. */
const usualTimeoutMs = 10_000
const bytesMax = 512 * 1024
/** Shorter than servers usually keep an idle connection open. */
const idleMs = 4_000

/** Like `fetch`, but with limits on time, size and addresses, and without following redirects. */
export type ProviderFetch = (url: string, options?: Partial<CustomFetchOptions>) => Promise<Response>

/**
 * Merchants choose the addresses of providers, and must not reach hosts that only this server can reach. The check is
 * on the address of the connection, because a name may resolve differently a moment later. `http` is allowed only on
 * this machine. See docs/decisions.
 */
export function openProviderFetch(mayConnect: MayConnect, timeoutMs = usualTimeoutMs): ProviderFetch {
  const transports = {
    'https:': transportOf(https, mayConnect, timeoutMs),
    'http:': transportOf(http, (address) => isLoopback(address) && mayConnect(address), timeoutMs),
  }
  return async (url, options = {}) => {
    const address = URL.parse(url)
    const transport = transports[address?.protocol as keyof typeof transports]
    if (!address || !transport) throw new Error('the address must be https, or http on this machine')
    const answer = await transport(address, options)
    const status = answer.statusCode ?? 0
    if (status >= 500) {
      answer.destroy()
      throw new Error(`the provider answered ${status}`)
    }
    const tooLong = () => new Error(`the response is longer than ${bytesMax} bytes`)
    const body = await readUpTo(answer, bytesMax, tooLong)
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    return new Response(body.length ? body : null, { status, headers })
  }
}

export const providerFetchOf = perInstance(({ mayConnect }) => openProviderFetch(mayConnect))

function transportOf(
  { Agent, request }: typeof http | typeof https,
  mayConnect: MayConnect,
  timeoutMs: number,
) {
  const lookup = checkedLookup(askSystem, mayConnect, refuseHost)
  const agent = new Agent({ keepAlive: true, timeout: idleMs, lookup })
  return async (address: URL, { method, headers, body }: Partial<CustomFetchOptions>) => {
    mustAllowLiteral(address.hostname, mayConnect, refuseHost)
    const signal = AbortSignal.timeout(timeoutMs)
    const options = { agent, signal, ...(method && { method }), ...(headers && { headers }) }
    const sendOnce = () =>
      new Promise<http.IncomingMessage>((done, fail) => {
        const outgoing = request(address, options)
        let hasResponse = false
        outgoing.once('response', (answer) => {
          hasResponse = true
          done(answer)
        })
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          // The provider closed an idle connection: that is not an answer, so the request is sent again.
          if (outgoing.reusedSocket && !hasResponse && error.code === 'ECONNRESET')
            sendOnce().then(done, fail)
          else fail(error)
        })
        outgoing.end(body == null ? undefined : body instanceof URLSearchParams ? String(body) : body)
      })
    return sendOnce()
  }
}

function refuseHost(host: string, addresses: readonly string[]): never {
  const names = [...new Set(addresses.map(rangeNameOf))].join()
  throw new Error(
    `${host} is at ${addresses.join(', ')}, which is not a public address: to allow providers there, ` +
      `set SUTLER_PROVIDER_NETWORKS=${names} (http is accepted only on this machine)`,
  )
}
