import { Agent, request } from 'node:http'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { seed } from './seed.ts'

/**
 * `node bench/starvation.ts [rows clients seconds]`: measures an access token, a read by id and a write while that many
 * clients keep sending a filter that reads every row, and hang up before the response.
 */
const [rows = 1_000_000, clients = 32, seconds = 10] = process.argv.slice(2).map(Number)
const hangUpAfterMs = 200

const server = await startOwnServer()
try {
  const { accountId } = await seed(server.database, server.url, server.token, rows)
  const slow = `/v2/accounts?filter=like(legal_name,*no such name*)`
  process.stdout.write(`one such filter alone: ${(await timeOf(() => get(server, slow))).toFixed(0)} ms\n`)
  for (const flood of [0, clients]) {
    let over = false
    const impatient = Array.from({ length: flood }, async () => {
      while (!over) await hangUp(server, slow)
    })
    await report(flood, {
      'access token': () => askForToken(server),
      'read by id': () => get(server, `/v2/accounts/${accountId}`),
      write: () => server.call('POST', '/v2/accounts', { type: 'account', name: 'Between' }, 201),
    })
    over = true
    await Promise.all(impatient)
  }
} finally {
  await server.stop()
}

async function report(flood: number, call: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const waits = new Map(Object.keys(call).map((what) => [what, [] as number[]]))
  const endsAt = performance.now() + seconds * 1000
  while (performance.now() < endsAt) {
    for (const [what, ask] of Object.entries(call)) waits.get(what)?.push(await timeOf(ask))
    await new Promise((done) => setTimeout(done, 20))
  }
  for (const [what, times] of waits) {
    times.sort((a, b) => a - b)
    const at = (part: number) =>
      times[Math.min(times.length - 1, Math.floor(part * times.length))]?.toFixed(1)
    process.stdout.write(
      `${flood} clients that hang up: ${what}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${at(1)} ms\n`,
    )
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function get({ url, token }: OwnServer, path: string): Promise<void> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
}

function hangUp({ url, token }: OwnServer, path: string): Promise<void> {
  return new Promise((done) => {
    const headers = { authorization: `Bearer ${token}` }
    const slowRequest = request(url + path, { headers, agent: new Agent() }, (answer) => answer.resume())
    slowRequest.once('error', () => {})
    slowRequest.once('close', done)
    slowRequest.end()
    setTimeout(() => slowRequest.destroy(), hangUpAfterMs)
  })
}

async function askForToken({ url, key }: OwnServer): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...key })
  const answer = await fetch(`${url}/oauth/access_token`, { method: 'POST', body })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`no token: ${answer.status}`)
}
