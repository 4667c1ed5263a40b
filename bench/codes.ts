import { setTimeout as sleep } from 'node:timers/promises'
import { bareChangeOf } from './bare-carts.ts'
import { fillCart, item } from './fill-carts.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { inTurns, median, ms, p95, pairCells, printLoad, printRow, ratio, timeOf } from './pairs.ts'
import { fiveOff, guestCheckout } from './seed-carts.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/codes.ts [codes rounds]`: a job that generates so many codes, and adds of products meanwhile; then
 * codes that are read, entered and used, beside the bare SQL of the change of a cart.
 */
const [codes = 100_000, rounds = 300] = process.argv.slice(2).map(Number)

interface Job {
  readonly data: { readonly id: string; readonly status: string }
}

interface Codes {
  readonly data: readonly { readonly code: string }[]
}

const server = await startOwnServer()
try {
  const { call } = server
  const catalog = await seedPublished(server, 1000)
  const { data: promotion } = await call<{ data: CreatedObject }>('POST', '/v2/promotions', fiveOff, 201)
  const at = `/v2/promotions/${promotion.id}`
  await fillCart(server, catalog, 'own', 5)
  await fillCart(server, catalog, 'coded', 5)
  const add = () => call('POST', '/v2/carts/own/items', item(catalog.productIds[0]), 201)
  const addUntil = async (isOver: () => Promise<boolean>) => {
    const times: number[] = []
    while (!(await isOver())) {
      times.push(await timeOf(add))
      await sleep(20)
    }
    return times
  }
  printLoad()
  let adds = 0
  const alone = await addUntil(async () => adds++ > rounds)
  const parameters = { number_of_codes: codes, consume_unit: 'per_cart', code_length: 12 }
  const began = performance.now()
  const { data: job } = await call<Job>('POST', `${at}/jobs`, { job_type: 'code_generate', parameters }, 201)
  const beside = await addUntil(async () => {
    const jobs = await call<{ data: readonly Job['data'][] }>('GET', `${at}/jobs`)
    const { status } = jobs.data.find(({ id }) => id === job.id) ?? { status: 'failed' }
    if (status === 'failed') throw new Error('the job failed')
    return status === 'completed'
  })
  const seconds = (performance.now() - began) / 1000
  process.stdout.write(`${codes} codes in ${seconds.toFixed(1)} s: ${Math.round(codes / seconds)} a second\n`)
  const cells = [alone, beside].map((some) => `${ms(median(some))}, ${ms(p95(some))}`)
  const ratios = [ratio(median(beside), median(alone)), ratio(p95(beside), p95(alone))]
  printRow(['', 'ms (median, 95 %)', 'other', 'ratio', 'ratio at 95 %'])
  printRow(['---', '--:', '--:', '--:', '--:'])
  printRow(['an add alone; beside the job', ...cells, ...ratios])

  const some = await call<Codes>(
    'GET',
    `${at}/codes?page[limit]=100&page[offset]=${Math.min(5000, codes - 100)}`,
  )
  let next = 0
  const code = () => some.data[next++ % some.data.length]?.code ?? ''
  const find = () => call('GET', `${at}/codes?filter=eq(code,${code()})`)
  const any = () => call('GET', `/v2/promotions/${promotion.id}`)
  printRow(['a code that is found; beside its promotion', ...pairCells(await inTurns(rounds, find, any))])

  let entered = ''
  const enter = async () => {
    entered = code()
    await call('POST', '/v2/carts/coded/items', { type: 'promotion_item', code: entered }, 201)
  }
  const leave = async () => {
    if (entered) await call('DELETE', `/v2/carts/coded/discounts/${entered}`, undefined, 204)
  }
  const bare = await bareChangeOf(server.database, 'coded')
  printRow([
    'a code that is entered; beside its SQL',
    ...pairCells(await inTurns(rounds, enter, bare, leave)),
  ])

  await fillCart(server, catalog, 'plain', 5)
  const checkOut = (cart: string) => () => call('POST', `/v2/carts/${cart}/checkout`, guestCheckout, 201)
  const change = async () => {
    await leave()
    await enter()
    await call('PUT', '/v2/carts/plain', { type: 'cart', name: `Cart ${next}` })
  }
  const used = await inTurns(rounds, checkOut('coded'), checkOut('plain'), change)
  printRow(['a code that is used by a checkout; beside one without', ...pairCells(used)])
  printLoad()
} finally {
  await server.stop()
}
