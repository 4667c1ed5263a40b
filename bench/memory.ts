import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { parseArgs } from 'node:util'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { printLoad, printRow } from './pairs.ts'

/**
 * `node bench/memory.ts [--reads 1300000] [--carts 123000]`: measures the memory of a server that has answered so many
 * reads of accounts, and then so many reads of 300 full carts with their items. It needs Linux.
 */
const { values } = parseArgs({
  options: {
    reads: { type: 'string', default: '1300000' },
    carts: { type: 'string', default: '123000' },
  },
})

const connections = 16
const server = await startOwnServer()
const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
const headers = { authorization: `Bearer ${server.token}` }

const items = Array.from({ length: 100 }, (_, n) => ({
  ...{ type: 'custom_item', name: `Wrap ${n}`, sku: `wrap-${n}`, quantity: 1, price: { amount: 100 + n } },
}))

/** Makes objects, some at a time, and returns their paths. */
async function makeAll(count: number, make: (n: number) => Promise<string>): Promise<readonly string[]> {
  const paths: string[] = []
  for (let n = 0; n < count; n += connections)
    paths.push(
      ...(await Promise.all(Array.from({ length: Math.min(connections, count - n) }, (_, i) => make(n + i)))),
    )
  return paths
}

/** Reads a response away. */
async function read(path: string): Promise<void> {
  const request = http.get(server.url + path, { agent, headers })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`)
  answer.resume()
  await once(answer, 'end')
}

/** Reads `count` times, of each path in turn. */
async function readAll(paths: readonly string[], count: number): Promise<void> {
  let next = 0
  const reader = async () => {
    while (next < count) await read(paths[next++ % paths.length] as string)
  }
  await Promise.all(Array.from({ length: connections }, reader))
}

/** The processor time of the server process, in ticks of 10 ms. */
function processorMs(): number {
  const [, fields = ''] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
  return (user + system) * 10
}

/** A size of the server process, in MB. */
function sizeOf(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
}

/** Prints the sizes after each tenth of the reads. */
async function measure(name: string, paths: readonly string[], count: number): Promise<void> {
  const before = processorMs()
  const sizes: number[] = []
  for (let tenth = 0; tenth < 10; tenth++) {
    await readAll(paths, count / 10)
    sizes.push(sizeOf('VmRSS'))
  }
  const cost = Math.round(((processorMs() - before) * 1000) / count)
  printRow([name, count, sizes.join(', '), sizeOf('VmHWM'), cost])
}

try {
  const accounts = await makeAll(1000, async (n) => {
    const account = { type: 'account', name: `Account ${n}` }
    const { data } = await server.call<{ data: CreatedObject }>('POST', '/v2/accounts', account, 201)
    return `/v2/accounts/${data.id}`
  })
  const carts = await makeAll(300, async (n) => {
    await server.call('POST', `/v2/carts/full-${n}/items`, items as object, 201)
    return `/v2/carts/full-${n}?include=items`
  })
  printLoad()
  printRow(['reads', 'count', 'MB after each tenth', 'peak, MB', 'µs of Node'])
  printRow(['before', '', sizeOf('VmRSS'), sizeOf('VmHWM'), ''])
  await measure('accounts', accounts, Number(values.reads))
  await measure('carts with 100 items', carts, Number(values.carts))
  printLoad()
} finally {
  agent.destroy()
  await server.stop()
}
