import { open } from '../../api/client.ts'
import { valueAt } from '../../api/objects.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { Tried, Try, TryRequest } from './trying.ts'

/** Sends a request; a refusal is an answer, too. */
export async function sendTry(step: Try, request: TryRequest): Promise<Tried> {
  try {
    const response = await open(request)
    const text = await response.text()
    const body: unknown = text ? JSON.parse(text) : undefined
    const [id, etagId] = [valueAt(body, 'data.id'), valueAt(body, 'data.meta.etag_id')]
    const etag = response.headers.get('etag')
    return {
      ...{ step, request, status: response.status, faults: [] },
      ...(etag !== null && { etag }),
      ...(typeof etagId === 'string' && { etagId }),
      ...(typeof id === 'string' && { id }),
    }
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === 0) throw error
    return {
      step,
      request,
      status: error.status,
      faults: error.faults.map(({ title, detail }) => detail ?? title),
    }
  }
}
