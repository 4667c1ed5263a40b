import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openClient } from './acts/client.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { median, printLoad, printRow } from './pairs.ts'

/**
 * What rates cost a request: one server reads an account, 16 at once, in turns without rates and with those of the
 * store and the key. Prints the processor time of Node for one request.
 */
const [rounds, requests] = [15, 4000]
/** Another process may not know yet what was set. */
const learnsWithinMs = 1000

const server = await startOwnServer()
const client = openClient(server, 16)

/** Of the server, in microseconds. */
function spentUs(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

try {
  const { data } = await server.call<{ data: CreatedObject }>(
    'POST',
    '/v2/accounts',
    { type: 'account', name: 'Ada' },
    201,
  )
  const cost = async (rates: string | null) => {
    await server.database.run({ text: 'UPDATE stores SET request_rates = $1', values: [rates] })
    await wait(learnsWithinMs)
    const before = spentUs()
    await client.each(requests, () => client.send('GET', `/v2/accounts/${data.id}`))
    return (spentUs() - before) / requests
  }
  printLoad()
  const pairs: (readonly [without: number, withRates: number])[] = []
  for (let round = -2; round < rounds; round++) {
    const isFirst = round % 2 === 0
    const first = isFirst ? await cost(null) : undefined
    const withRates = await cost('store:99999,key:99999')
    const without = first ?? (await cost(null))
    // The first rounds compile code.
    if (round >= 0) pairs.push([without, withRates])
  }
  printRow(['without, µs', 'with rates, µs', 'difference, µs', 'ratio'])
  printRow(['--:', '--:', '--:', '--:'])
  const of = (value: (pair: readonly [number, number]) => number) => median(pairs.map(value))
  printRow([
    of(([without]) => without).toFixed(0),
    of(([, withRates]) => withRates).toFixed(0),
    of(([without, withRates]) => withRates - without).toFixed(1),
    of(([without, withRates]) => withRates / without).toFixed(3),
  ])
  printLoad()
} finally {
  client.close()
  await server.stop()
}
