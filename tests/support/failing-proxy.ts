import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** A proxy before a server that fails as the internet does: it refuses, breaks, and loses answers. */
export interface FailingProxy {
  readonly url: string
  /** How many requests have failed. */
  failures(): number
  close(): void
}

type Fault = (send: () => void, answer: ServerResponse) => void

/** Every so many requests, one fails so. A lost answer is one of a request that the server has carried out. */
const faults: readonly (readonly [every: number, Fault])[] = [
  [41, (_, answer) => void answer.writeHead(429, { 'retry-after': '0' }).end('{"errors": []}')],
  [53, (_, answer) => void answer.writeHead(500).end()],
  [67, (_, answer) => void answer.destroy()],
]
const losesAnswerEvery = 31

export async function openFailingProxy(target: string): Promise<FailingProxy> {
  let requests = 0
  let failures = 0
  const server = createServer((incoming, answer) => {
    requests += 1
    const n = requests
    const send = (isLost: boolean) => forward(target, incoming, answer, isLost)
    const fault = faults.find(([every]) => n % every === 0)?.[1]
    const isLost = n % losesAnswerEvery === 0
    if (fault || isLost) failures += 1
    if (!fault) return send(isLost)
    incoming.resume()
    fault(() => send(false), answer)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    failures: () => failures,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function forward(target: string, incoming: IncomingMessage, answer: ServerResponse, isLost: boolean): void {
  const { method, url, headers } = incoming
  const onward = request(`${target}${url}`, { method, headers }, (reply) => {
    if (isLost) {
      reply.resume()
      reply.on('end', () => answer.destroy())
      return
    }
    answer.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  incoming.pipe(onward)
}
