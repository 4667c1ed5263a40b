import { lookup as resolve } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CustomFetchOptions } from 'openid-client'
import { perInstance } from '../kernel/work/per-instance.ts'
import { isLoopback, rangeNameOf } from '../platform/sockets/addresses.ts'

const timeoutMs = 10_000
const bytesMax = 512 * 1024
/** Less than what servers keep a connection open for when nobody uses it. */
const idleMs = 4_000

/** As `fetch`, within limits: of time, of bytes, of where to; and no redirect is followed. */
export type ProviderFetch = (url: string, options?: Partial<CustomFetchOptions>) => Promise<Response>

type MayConnect = (address: string) => boolean

/**
 * Where providers are is for those who manage a store to choose, and this server is where they are not. What counts is
 * the address that is connected to, whatever the name was said to be a moment before. Unencrypted is only what does not
 * leave this machine. See docs/decisions.
 */
export const providerFetchOf = perInstance(({ mayConnect }): ProviderFetch => {
  const ways = {
    'https:': wayOf(https, mayConnect),
    'http:': wayOf(http, (address) => isLoopback(address) && mayConnect(address)),
  }
  return async (url, options = {}) => {
    const address = URL.parse(url)
    const way = ways[address?.protocol as keyof typeof ways]
    if (!address || !way) throw new Error('the address must be https, or http on this machine')
    const answer = await way(address, options)
    const status = answer.statusCode ?? 0
    if (status >= 500) {
      answer.destroy()
      throw new Error(`the provider answered ${status}`)
    }
    const body = await readLimited(answer)
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    return new Response(body.length ? body : null, { status, headers })
  }
})

function wayOf({ Agent, request }: typeof http | typeof https, mayConnect: MayConnect) {
  const agent = new Agent({ keepAlive: true, timeout: idleMs, lookup: lookupWithin(mayConnect) })
  return async (address: URL, { method, headers, body }: Partial<CustomFetchOptions>) => {
    // Node looks up names only.
    const literal = address.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal)) mustBeWithin(mayConnect, literal, [literal])
    const signal = AbortSignal.timeout(timeoutMs)
    const options = { agent, signal, ...(method && { method }), ...(headers && { headers }) }
    const ask = () =>
      new Promise<http.IncomingMessage>((done, fail) => {
        const asked = request(address, options)
        let answered = false
        asked.once('response', (answer) => {
          answered = true
          done(answer)
        })
        asked.on('error', (error: NodeJS.ErrnoException) => {
          // A connection that was kept, and that the provider closed when nobody used it, is no answer.
          if (asked.reusedSocket && !answered && error.code === 'ECONNRESET') ask().then(done, fail)
          else fail(error)
        })
        asked.end(body == null ? undefined : body instanceof URLSearchParams ? String(body) : body)
      })
    return ask()
  }
}

const lookupWithin =
  (mayConnect: MayConnect): LookupFunction =>
  (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, found = []) => {
      try {
        if (error) throw error
        const within = mustBeWithin(
          mayConnect,
          name,
          found.map(({ address }) => address),
        )
        const [first, ...more] = found.filter(({ address }) => within.includes(address))
        if (options.all) done(null, first ? [first, ...more] : [])
        else done(null, first?.address ?? '', first?.family)
      } catch (refusal) {
        done(refusal as NodeJS.ErrnoException, '')
      }
    })
  }

function mustBeWithin(mayConnect: MayConnect, name: string, addresses: readonly string[]): readonly string[] {
  const within = addresses.filter(mayConnect)
  if (within.length) return within
  const names = [...new Set(addresses.map(rangeNameOf))].join()
  throw new Error(
    `${name} is at ${addresses.join(', ')}, which is not a public address: to allow providers there, ` +
      `set SUTLER_PROVIDER_NETWORKS=${names} (http is accepted only on this machine)`,
  )
}

async function readLimited(answer: http.IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`the response is longer than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
