import { randomUUID } from 'node:crypto'
import { startOwnServer } from './own-server.ts'

/**
 * `node bench/one-object.ts [writers seconds]`: measures a write of another object while that many clients keep
 * writing one object, with and without an Idempotency-Key.
 */
const [writers = 200, seconds = 5] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
try {
  const make = async (name: string) => {
    const body = { type: 'account', name }
    const { data } = await server.call<{ data: { id: string } }>('POST', '/v2/accounts', body, 201)
    return data.id
  }
  const [contended, other] = [await make('Wanted'), await make('Other')]
  for (const keyed of [false, true]) {
    const rename = async (id: string, name: string) => {
      const answer = await fetch(`${server.url}/v2/accounts/${id}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${server.token}`,
          'content-type': 'application/json',
          ...(keyed && { 'idempotency-key': randomUUID() }),
        },
        body: JSON.stringify({ data: { type: 'account', name } }),
      })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`a rename was answered ${answer.status}`)
    }
    for (const count of [0, writers]) {
      let over = false
      let written = 0
      const crowd = Array.from({ length: count }, async () => {
        while (!over) {
          await rename(contended, 'Wanted')
          written += 1
        }
      })
      const times: number[] = []
      const endsAt = performance.now() + seconds * 1000
      while (performance.now() < endsAt) {
        const startedAt = performance.now()
        await rename(other, 'Other')
        times.push(performance.now() - startedAt)
        await new Promise((done) => setTimeout(done, 5))
      }
      over = true
      await Promise.all(crowd)
      times.sort((a, b) => a - b)
      const at = (part: number) => times[Math.floor(part * (times.length - 1))]?.toFixed(1)
      process.stdout.write(
        `${keyed ? 'with' : 'without'} a key, beside ${count} writers (${Math.round(written / seconds)}/s): ` +
          `median ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms\n`,
      )
    }
  }
} finally {
  await server.stop()
}
