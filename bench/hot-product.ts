import { item } from './fill-carts.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { median, ms, p95, printLoad, printRow, timeOf } from './pairs.ts'
import { guestCheckout } from './seed-carts.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/hot-product.ts [buyers each]`: that many buyers at once fill a cart, check out and pay with the
 * manual gateway, each so many times: all of one product whose stock is counted, and each of a product of their
 * own, in turns.
 */
const [buyers = 64, each = 5] = process.argv.slice(2).map(Number)
const turns = 3
const steps = ['add', 'checkout', 'payment'] as const

const server = await startOwnServer()
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
  const run = async (idOf: (buyer: number) => string | undefined) => {
    const times: Record<(typeof steps)[number], number[]> = { add: [], checkout: [], payment: [] }
    const began = performance.now()
    await Promise.all(
      Array.from({ length: buyers }, async (_, buyer) => {
        for (let i = 0; i < each; i++) await buy(idOf(buyer), (step, took) => times[step].push(took))
      }),
    )
    return { times, seconds: (performance.now() - began) / 1000 }
  }
  await run((buyer) => others[buyer])
  const kinds = { 'one product': () => hot, 'a product each': (buyer: number) => others[buyer] }
  printLoad()
  printRow([`${buyers} buyers of`, ...steps.map((step) => `${step}, ms (median, 95 %)`), 'orders/s'])
  printRow(['---', ...steps.map(() => '--:'), '--:'])
  let bought = 0
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, idOf] of Object.entries(kinds)) {
      const { times, seconds } = await run(idOf)
      if (name === 'one product') bought += buyers * each
      const cells = steps.map((step) => `${ms(median(times[step]))}, ${ms(p95(times[step]))}`)
      printRow([name, ...cells, Math.round((buyers * each) / seconds)])
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
