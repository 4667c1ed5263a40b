import { fileBytesMax } from '../files/index.ts'
import type { MayConnect } from '../platform/sockets/checked-lookup.ts'
import { exchange, openNetwork, RefusedHost } from '../targets/index.ts'
import { UnreadableAnswer } from './read-answer.ts'

const contentMaxMs = 60_000

/** What was found at the address of a file. */
interface FoundContent {
  readonly status: number
  readonly headers: Headers
  readonly content: Blob
}

/**
 * A reader of files, which the server at `own` may have itself, or another one on the public internet: this process may
 * reach more than the server that names the addresses.
 */
export function openContents(own: string, mayConnect: MayConnect) {
  const networks = { own: openNetwork(() => true), others: openNetwork(mayConnect) }
  return {
    /** Throws `UnreadableAnswer` where another attempt would fail too. */
    read: async (href: unknown): Promise<FoundContent> => {
      const url = URL.parse(String(href))
      if (!url || !/^https?:$/.test(url.protocol))
        throw new UnreadableAnswer('its address is not an http URL')
      const network = networks[url.origin === new URL(own).origin ? 'own' : 'others']
      return readFrom(network, url)
    },
    close: () => {
      for (const network of Object.values(networks)) network.close()
    },
  }
}

async function readFrom(network: Parameters<typeof exchange>[0], url: URL): Promise<FoundContent> {
  const request = { url, method: 'GET', headers: {}, body: [] }
  const signal = AbortSignal.timeout(contentMaxMs)
  const answer = await exchange(network, request, { bytesMax: fileBytesMax }, signal).catch(
    (error: Error) => {
      throw error instanceof RefusedHost ? new UnreadableAnswer(error.message) : error
    },
  )
  const { status, body, isWhole } = answer
  const headers = new Headers(answer.headers)
  const isForPatience = status === 429 || status >= 500
  if (status !== 200 && !isForPatience) {
    throw new UnreadableAnswer(
      `${url.origin} answers ${status}${status < 400 ? ', a redirect, which is not followed' : ''}`,
    )
  }
  if (!isForPatience && !isWhole) {
    if (body.length < fileBytesMax) throw new Error('the connection broke')
    throw new UnreadableAnswer(`it is longer than ${fileBytesMax} bytes`)
  }
  if (headers.has('content-encoding'))
    throw new UnreadableAnswer('its content is packed, though nobody asked for that')
  return { status, headers, content: new Blob([body]) }
}
