import type { CustomFetchOptions } from 'openid-client'

const timeoutMs = 10_000
const bytesMax = 512 * 1024

/** The provider could not be asked, or did not answer as one: not what it said is at fault. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable'
}

// The addresses are an administrator's to choose, and a company's directory may well be on a private network: https is
// fetched from anywhere. Unencrypted only what does not leave this machine. See docs/decisions.
const isAllowed = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))

/** As `fetch`, within limits: of time, of bytes, of where to; and no redirect is followed. */
export async function providerFetch(
  url: string,
  { body: sent, ...init }: Partial<CustomFetchOptions> = {},
): Promise<Response> {
  const address = URL.parse(url)
  if (!address || !isAllowed(address)) {
    throw new ProviderUnreachable('the address must be https, or http on this machine')
  }
  try {
    const answer = await fetch(address, {
      ...init,
      ...(sent !== undefined && { body: sent }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (answer.status >= 500) throw new ProviderUnreachable(`the provider answered ${answer.status}`)
    const body = await readLimited(answer)
    return new Response(body.length ? body : null, { status: answer.status, headers: answer.headers })
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error
    throw new ProviderUnreachable('the provider did not answer', { cause: error })
  }
}

async function readLimited({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new ProviderUnreachable(`the answer is longer than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
