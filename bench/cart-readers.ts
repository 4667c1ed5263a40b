import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { startOwnServer } from './own-server.ts'

/**
 * `node bench/cart-readers.ts [readers seconds]`: measures a small read while that many clients keep reading one full
 * cart, how long each of them waits, and what a read of the cart costs the server. It needs Linux.
 */
const [readers = 150, seconds = 5] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
try {
  const items = Array.from({ length: 98 }, (_, n) => ({
    ...{ type: 'custom_item', name: `Wrap ${n}`, quantity: 1, price: { amount: 100 } },
    custom_inputs: { n, parts: Array(1100).fill(0) },
  }))
  await server.call('POST', '/v2/carts/full/items', items as object, 201)

  const agent = new http.Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${server.token}` }
  let bytes = 0
  /** Reads a response away; how long that took, in milliseconds. */
  const read = async (path: string): Promise<number> => {
    const beganAt = performance.now()
    const [answer] = (await once(http.get(server.url + path, { agent, headers }), 'response')) as [
      http.IncomingMessage,
    ]
    if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`)
    bytes = 0
    for await (const chunk of answer) bytes += (chunk as Buffer).length
    return performance.now() - beganAt
  }
  /** The processor time of the server process, in ticks of 10 ms. */
  const processorMs = () => {
    const [, fields = ''] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
    return (user + system) * 10
  }
  const shown = (times: number[]) => {
    times.sort((one, other) => one - other)
    const at = (part: number) => times[Math.floor(part * (times.length - 1))]?.toFixed(1)
    return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms`
  }
  for (const count of [0, readers]) {
    let over = false
    const waits: number[] = []
    const before = processorMs()
    const crowd = Array.from({ length: count }, async () => {
      while (!over) waits.push(await read('/v2/carts/full?include=items'))
    })
    const times: number[] = []
    const endsAt = performance.now() + seconds * 1000
    while (performance.now() < endsAt) {
      times.push(await read('/v2/currencies'))
      await new Promise((done) => setTimeout(done, 5))
    }
    over = true
    await Promise.all(crowd)
    process.stdout.write(`a small read beside ${count} readers: ${shown(times)}\n`)
    if (!count) continue
    await read('/v2/carts/full?include=items')
    const cost = (processorMs() - before) / waits.length
    process.stdout.write(
      `${waits.length} reads of a cart of ${bytes} bytes: ${shown(waits)}; ${cost.toFixed(2)} ms of the server’s processor each\n`,
    )
  }
  agent.destroy()
} finally {
  await server.stop()
}
