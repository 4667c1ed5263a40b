import { item } from './fill-carts.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { median, ms, p95, printLoad, printRow, timeOf } from './pairs.ts'
import { guestCheckout } from './seed-carts.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/hot-product.ts [buyers each checkout]`: that many buyers at once fill a cart, check out and pay with the
 * manual gateway, each so many times: all of one product whose stock is counted, and each of a product of their
 * own, in turns. Meanwhile another shopper keeps adding to a cart. `checkout` is the directory of another commit,
 * whose server is measured in place of this one's.
 */
const [buyers = 64, each = 5] = process.argv.slice(2, 4).map(Number)
const turns = 3
const steps = ['add', 'checkout', 'payment'] as const

const server = await startOwnServer(process.argv[4])
try {
  const { call } = server
  const { productIds } = await seedPublished(server, 1000)
  const [hot = '', ...others] = productIds
  await call('PUT', '/v2/gateways/manual', { type: 'gateway', enabled: true, shoppers_may_pay: true })
  const stocked = [hot, ...others.slice(0, buyers)]
  for (const id of stocked) {
    await call('POST', `/v2/inventories/${id}`, { type: 'stock', quantity: 1_000_000 }, 201)
  }
  let carts = 0
  const buy = async (id: string | undefined, note: (step: (typeof steps)[number], took: number) => void) => {
    const cart = `/v2/carts/buyer-${carts++}`
    note('add', await timeOf(() => call('POST', `${cart}/items`, item(id), 201)))
    let orderId = ''
    const checkout = async () => {
      orderId = (await call<{ data: CreatedObject }>('POST', `${cart}/checkout`, guestCheckout, 201)).data.id
    }
    note('checkout', await timeOf(checkout))
    const payment = { gateway: 'manual', method: 'purchase' }
    note('payment', await timeOf(() => call('POST', `/v2/orders/${orderId}/payments`, payment)))
  }
  /** The times of adds of another shopper, who always adds the same. */
  const watch = async (isOver: () => boolean) => {
    const times: number[] = []
    while (!isOver()) {
      times.push(await timeOf(() => call('POST', '/v2/carts/bystander/items', item(others.at(-1)), 201)))
      await new Promise((done) => setTimeout(done, 20))
    }
    return times
  }
  const run = async (idOf: (buyer: number) => string | undefined) => {
    const times: Record<(typeof steps)[number], number[]> = { add: [], checkout: [], payment: [] }
    const began = performance.now()
    let isOver = false
    const bystander = watch(() => isOver)
    await Promise.all(
      Array.from({ length: buyers }, async (_, buyer) => {
        for (let i = 0; i < each; i++) await buy(idOf(buyer), (step, took) => times[step].push(took))
      }),
    )
    const seconds = (performance.now() - began) / 1000
    isOver = true
    return { times, seconds, others: await bystander }
  }
  await run((buyer) => others[buyer])
  const kinds = { 'one product': () => hot, 'a product each': (buyer: number) => others[buyer] }
  printLoad()
  printRow([
    `${buyers} buyers of`,
    ...steps.map((step) => `${step}, ms (median, 95 %)`),
    'orders/s',
    'add of another shopper',
  ])
  printRow(['---', ...steps.map(() => '--:'), '--:', '--:'])
  const quiet: number[] = []
  for (let i = 0; i < 50; i++) {
    quiet.push(await timeOf(() => call('POST', '/v2/carts/bystander/items', item(others.at(-1)), 201)))
  }
  const pair = (some: readonly number[]) => `${ms(median(some))}, ${ms(p95(some))}`
  printRow(['nobody', ...steps.map(() => ''), '', pair(quiet)])
  let bought = 0
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, idOf] of Object.entries(kinds)) {
      const { times, seconds, others: adds } = await run(idOf)
      if (name === 'one product') bought += buyers * each
      const cells = steps.map((step) => pair(times[step]))
      printRow([name, ...cells, Math.round((buyers * each) / seconds), pair(adds)])
    }
  }
  const { data } = await call<{ data: { available: number; allocated: number } }>(
    'GET',
    `/v2/inventories/${hot}`,
  )
  process.stdout.write(`sold ${bought}: ${data.allocated} allocated, ${data.available} left\n`)
  printLoad()
} finally {
  await server.stop()
}
