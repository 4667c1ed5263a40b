import { Agent, request } from 'node:http'
import { startOwnServer } from './own-server.ts'

/**
 * `node bench/token-flood.ts [connections seconds]`: measures how long a client with the right secret waits for an
 * access token while that many connections keep sending wrong ones: wrong secrets for the same client id, then unknown
 * client ids. The legitimate request comes once from the same address, once from another.
 */
const [connections = 64, seconds = 10] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
try {
  await report('nobody else asks', '127.0.0.2', [])
  for (const from of ['127.0.0.2', '127.0.0.1']) {
    const whose = from === '127.0.0.1' ? 'their own address' : 'another address'
    await report(`wrong secrets, from ${whose}`, from, [{ ...server.key, client_secret: 'wrong' }])
    await report(`unknown client ids, from ${whose}`, from, [{ client_id: 'nobody', client_secret: 'wrong' }])
  }
} finally {
  await server.stop()
}

async function report(what: string, from: string, wrong: readonly Credentials[]): Promise<void> {
  let over = false
  const answered = new Map<number, number>()
  const flood = wrong.flatMap((credentials) =>
    Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!over) {
        const status = await ask(credentials, '127.0.0.1', agent)
        answered.set(status, (answered.get(status) ?? 0) + 1)
      }
      agent.destroy()
    }),
  )
  const waits: number[] = []
  const statuses = new Set<number>()
  const endsAt = performance.now() + seconds * 1000
  while (performance.now() < endsAt) {
    const began = performance.now()
    statuses.add(await ask(server.key, from))
    waits.push(performance.now() - began)
    await new Promise((done) => setTimeout(done, 50))
  }
  over = true
  await Promise.all(flood)
  waits.sort((a, b) => a - b)
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))]?.toFixed(1)
  process.stdout.write(
    `${what}: ${waits.length} rightful answers (${[...statuses]}), median ${at(0.5)} ms, 99 % ${at(0.99)} ms, ` +
      `slowest ${at(1)} ms; others: ${JSON.stringify(Object.fromEntries(answered))}\n`,
  )
}

interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

function ask(credentials: Credentials, localAddress: string, agent?: Agent): Promise<number> {
  const body = String(new URLSearchParams({ grant_type: 'client_credentials', ...credentials }))
  return new Promise((done, fail) => {
    const call = request(
      `${server.url}/oauth/access_token`,
      {
        method: 'POST',
        localAddress,
        ...(agent && { agent }),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (answer) => answer.resume().once('end', () => done(answer.statusCode ?? 0)),
    )
    call.once('error', fail).end(body)
  })
}
