import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnServer } from './own-server.ts'
import { p95, printLoad } from './pairs.ts'

/**
 * `node bench/moving-stores.ts <URL of a coordinator> [seconds command …]`: eight writers, each of which
 * changes an account and reads it again, while the commands of the shell run, one every ten seconds: they move, isolate
 * or kill. Prints how many changes were acknowledged, which of them the next read did not show, what was refused, and
 * the longest request.
 */
const [url = '', seconds = '30', ...commands] = process.argv.slice(2)
const writersCount = 8
const everyMs = 10_000
/** Until requests go to the node of their store. */
const settlingMs = 8000

interface Account {
  readonly data: { readonly id: string; readonly name: string }
}

const server = await startOwnServer(undefined, { beside: { databaseUrl: url } })
const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
const tookMs: number[] = []
const refused: Record<string, number> = {}
let [acknowledged, missing, isOver] = [0, 0, false]

async function send(method: string, path: string, data?: object): Promise<Account['data'] | undefined> {
  const beganMs = performance.now()
  const body = data && JSON.stringify({ data })
  const answer = await fetch(server.url + path, { method, headers, ...(body && { body }) })
  const text = await answer.text()
  tookMs.push(performance.now() - beganMs)
  if (answer.ok) return (JSON.parse(text) as Account).data
  const what = `${method} ${answer.status}`
  refused[what] = (refused[what] ?? 0) + 1
  if (answer.status === 500 || answer.status === 404) console.error(what, text)
  if (answer.status === 503) await sleep(100)
  return undefined
}

async function write(): Promise<void> {
  const account = await send('POST', '/v2/accounts', { type: 'account', name: '0' })
  let sure = 0
  for (let n = 1; account && !isOver; n++) {
    if (await send('PUT', `/v2/accounts/${account.id}`, { type: 'account', name: `${n}` })) {
      acknowledged++
      sure = n
    }
    const read = await send('GET', `/v2/accounts/${account.id}`)
    if (read && Number(read.name) < sure) missing++
  }
}

try {
  printLoad()
  await server.call('GET', '/v2/accounts')
  await sleep(settlingMs)
  const writers = Array.from({ length: writersCount }, write)
  const endMs = performance.now() + Number(seconds) * 1000
  for (const command of commands) {
    await sleep(everyMs)
    const beganMs = performance.now()
    await new Promise<void>((done) =>
      execFile('sh', ['-c', command], (error, _, problem) => {
        console.log(
          `${((performance.now() - beganMs) / 1000).toFixed(1)} s: ${command} ${error ? problem : ''}`,
        )
        done()
      }),
    )
  }
  await sleep(Math.max(everyMs, endMs - performance.now()))
  isOver = true
  await Promise.all(writers)
  console.log({ acknowledged, missing, refused, longestMs: Math.max(...tookMs), p95Ms: p95(tookMs) })
  printLoad()
} finally {
  await server.stop()
}
