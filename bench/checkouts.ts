import { bareCheckoutOf } from './bare-carts.ts'
import { fillCart } from './fill-carts.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'
import { inTurns, pairCells, printLoad, printRow } from './pairs.ts'
import { guestCheckout } from './seed-carts.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/checkouts.ts [rounds]`: the checkout of a cart of 1 and 20 lines by a guest, beside the bare SQL of
 * its writes. One after the other, in turns.
 */
const [rounds = 300] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
try {
  const catalog = await seedPublished(server, 1000)
  printLoad()
  printRow(['lines', 'checkout, ms (median, 95 %)', 'its SQL', 'ratio', 'ratio at 95 %'])
  printRow(['--:', '--:', '--:', '--:', '--:'])
  for (const lines of [1, 20]) {
    const cart = `/v2/carts/of-${lines}`
    await fillCart(server, catalog, `of-${lines}`, lines)
    const checkOut = () =>
      server.call<{ data: CreatedObject }>('POST', `${cart}/checkout`, guestCheckout, 201)
    const bare = await bareCheckoutOf(server.database, (await checkOut()).data.id)
    let version = 0
    // An unchanged cart would get the same order again.
    const change = () => server.call('PUT', cart, { type: 'cart', name: `Cart ${version++}` })
    printRow([lines, ...pairCells(await inTurns(rounds, checkOut, bare, change))])
  }
  printLoad()
} finally {
  await server.stop()
}
