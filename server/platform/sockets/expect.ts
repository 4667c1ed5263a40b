import type { IncomingMessage, ServerResponse } from 'node:http'

/** Requests with `Expect: 100-continue` whose clients still wait, and the responses that tell them to continue. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Makes the client wait until `askForBody` or its response, so that a refused client sends no body. */
export function awaitBodyRequest(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response)
}

/** Whether the client may never send its body. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request)

/** Asks the client for the body. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}
