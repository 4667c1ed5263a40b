import { ApiProblem, faultsIn } from './problem.ts'
import { renewSession, sessionStore } from './session.ts'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** It has the token of a shopper beside that of the session, and a 401 may be about either. */
  readonly hasShopper?: boolean
  readonly signal?: AbortSignal
}

export interface Response {
  readonly body: unknown
  readonly etag: string | undefined
}

/** Sends a request with the token of the session. Throws an `ApiProblem` if the server refuses it. */
export async function send(request: Request): Promise<Response> {
  const response = await open(request)
  return { body: await read(response, request.signal), etag: response.headers.get('etag') ?? undefined }
}

/** As `send`, but the body of the response has yet to be read. */
export async function open(request: Request): Promise<globalThis.Response> {
  const { session } = sessionStore.get()
  if (!session) throw new ApiProblem(401, [])
  const response = await openOnce(request, session.token)
  const { status, headers } = response
  if (status === 401 && !request.hasShopper) {
    if (sessionStore.get().session?.token === session.token) await renewSession()
    return open(request)
  }
  if (status < 400) return response
  const faults = faultsIn(await read(response, request.signal))
  throw new ApiProblem(status, faults, headers.get('x-request-id') ?? undefined)
}

const openOnce = ({ method = 'GET', path, body, headers, signal }: Request, token: string) =>
  fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: 'no-store',
  }).catch((error: unknown) => silence(error, signal))

const read = async (response: globalThis.Response, signal: AbortSignal | undefined) =>
  parse(await response.text().catch((error: unknown) => silence(error, signal)))

/** The server did not answer, unless nobody waits for it any more. */
function silence(error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted) throw error
  throw new ApiProblem(0, [])
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The request as a command for a shell. The token is a variable, so the text can be shared. */
export function curlOf({ method = 'GET', path, body, headers = {} }: Request): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(location.origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}
