import type { Response } from './client.ts'
import { ApiProblem, faultsIn } from './problem.ts'
import { renewSession, sessionStore } from './session.ts'

export interface Upload {
  readonly path: string
  readonly parts: FormData
  readonly signal: AbortSignal
  /** How much has been sent, from 0 to 1. */
  onProgress(sent: number): void
}

/** Sends a form with files. `fetch` does not say how much of a body is sent, so this is the older way. */
export async function upload(request: Upload): Promise<Response> {
  const { session } = sessionStore.get()
  if (!session) throw new ApiProblem(401, [])
  const answer = await uploadOnce(request, session.token)
  if (answer.status === 401) {
    if (sessionStore.get().session?.token === session.token) await renewSession()
    return upload(request)
  }
  const body = parse(answer.responseText)
  if (answer.status < 400) return { body, etag: answer.getResponseHeader('etag') ?? undefined }
  throw new ApiProblem(answer.status, faultsIn(body), answer.getResponseHeader('x-request-id') ?? undefined)
}

const uploadOnce = ({ path, parts, signal, onProgress }: Upload, token: string): Promise<XMLHttpRequest> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0)
    request.onload = () => resolve(request)
    request.onerror = () => reject(new ApiProblem(0, []))
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(parts)
  })

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
