import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type Stripe from 'stripe'
import { isObject } from '../../kernel/body/input.ts'
import { readUpTo } from '../../kernel/http/reading/read-up-to.ts'

type StripeHttp = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>

/** Longer than every response that is read: the longest has a hundred refunds. */
const bytesMax = 4 * 1024 * 1024

/**
 * How the library sends requests. Its own client waits as long as bytes arrive, reads a body of any length, and a body
 * that is no JSON object ends the process.
 */
export const stripeHttp: StripeHttp = {
  getClientName: () => 'sutler',
  async makeRequest(host, port, path, method, headers, data, protocol, timeoutMs) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = protocol === 'http' ? requestHttp : requestHttps
    // Of the whole response, not of its first byte.
    const signal = AbortSignal.timeout(timeoutMs)
    request({ host, port, path, method, headers: { ...headers }, signal }, resolve)
      .on('error', reject)
      .end(data)
    const response = await promise
    return {
      getStatusCode: () => response.statusCode ?? 0,
      getHeaders: () => response.headers as Record<string, string>,
      getRawResponse: () => response,
      toStream: () => response,
      toJSON: () => readObject(response),
      dispose: () => void response.destroy(),
    }
  },
}

async function readObject(response: IncomingMessage): Promise<object> {
  const tooLong = () => new Error(`Stripe has sent more than ${bytesMax} bytes`)
  const value: unknown = JSON.parse((await readUpTo(response, bytesMax, tooLong)).toString())
  if (!isObject(value)) throw new Error('Stripe has sent no JSON object')
  return value
}
