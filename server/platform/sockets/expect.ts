import type { IncomingMessage, ServerResponse } from 'node:http'

/** Requests with `Expect: 100-continue` whose clients have not been told to go on, and what they are told by. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** The client waits until `askForBody`, or for its answer: who is refused need not have sent anything. */
export function awaitBodyRequest(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response)
}

/** Whether the client may never send its body. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request)

/** Asks for the body, which is to be read now. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}
