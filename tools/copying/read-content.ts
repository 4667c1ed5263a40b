import { RefusedHost } from '../../server/platform/sockets/checked-lookup.ts'
import { UnreadableAnswer } from './read-answer.ts'

const contentMaxMs = 60_000

/**
 * The way to files. The server of a store may have them itself, or name another one. This process may reach more than
 * that server, so the way to others checks their addresses.
 */
export interface FileAccess {
  /** How much of a file is read at most. */
  readonly bytesMax: number
  get(url: URL, whose: 'own' | 'others', signal: AbortSignal): Promise<ReadResponse>
  close(): void
}

/** A response without redirects, and the beginning of its body. */
interface ReadResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isWhole: boolean
}

/** What was found at the address of a file. */
interface FoundContent {
  readonly status: number
  readonly headers: Headers
  readonly content: Blob
}

/** Reads a file that the server at `own` names. Throws `UnreadableAnswer` where another attempt would fail too. */
export async function readContent(files: FileAccess, own: string, href: unknown): Promise<FoundContent> {
  const url = URL.parse(String(href))
  if (!url || !/^https?:$/.test(url.protocol)) throw new UnreadableAnswer('its address is not an http URL')
  const whose = url.origin === new URL(own).origin ? 'own' : 'others'
  const response = await files.get(url, whose, AbortSignal.timeout(contentMaxMs)).catch((error: unknown) => {
    throw error instanceof RefusedHost ? new UnreadableAnswer(error.message) : error
  })
  const { status, body, isWhole } = response
  const headers = new Headers(response.headers)
  const content = new Blob([new Uint8Array(body)])
  // The caller asks again.
  if (status === 429 || status >= 500) return { status, headers, content }
  if (status !== 200) {
    const what = status < 400 ? `${status}, a redirect, which is not followed` : status
    throw new UnreadableAnswer(`${url.origin} answers ${what}`)
  }
  if (headers.has('content-encoding'))
    throw new UnreadableAnswer('it is packed, though nobody asked for that')
  if (isWhole) return { status, headers, content }
  if (body.length < files.bytesMax) throw new Error('the connection broke')
  throw new UnreadableAnswer(`it is longer than ${files.bytesMax} bytes`)
}
