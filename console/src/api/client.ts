import { ApiProblem, faultsIn } from './problem.ts'
import { renewSession, sessionStore } from './session.ts'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Response {
  readonly body: unknown
  readonly etag: string | undefined
}

/** Sends a request with the token of the session. Throws an `ApiProblem` if the server refuses it. */
export async function send(request: Request): Promise<Response> {
  const { session } = sessionStore.get()
  if (!session) throw new ApiProblem(401, [])
  const { status, headers, body } = await sendOnce(request, session.token)
  if (status === 401) {
    if (sessionStore.get().session?.token === session.token) await renewSession()
    return send(request)
  }
  if (status >= 400) throw new ApiProblem(status, faultsIn(body), headers.get('x-request-id') ?? undefined)
  return { body, etag: headers.get('etag') ?? undefined }
}

async function sendOnce({ method = 'GET', path, body, headers, signal }: Request, token: string) {
  const response = await fetch(path, {
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
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiProblem(0, [])
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? parse(text) : undefined }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
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
