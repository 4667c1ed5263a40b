import { fillCart, item } from './fill-carts.ts'
import { startOwnServer } from './own-server.ts'
import { median, ms, p95, printLoad, printRow, ratio, timeOf } from './pairs.ts'
import { seedPublished } from './seed-published.ts'

/**
 * `node bench/waiting-adds.ts [clients seconds]`: adds to a cart alone, and beside that many clients who keep
 * adding to one other cart. They take turns, four times each.
 */
const [clients = 200, seconds = 5] = process.argv.slice(2).map(Number)
const turns = 4

const server = await startOwnServer()
try {
  const catalog = await seedPublished(server, 1000)
  const add = (name: string, place: number) =>
    server.post(`/v2/carts/${name}/items`, JSON.stringify({ data: item(catalog.productIds[place]) }))
  const mustAdd = async (name: string, place: number) => {
    const status = await add(name, place)
    if (status !== 201) throw new Error(`an add was answered ${status}`)
  }
  await fillCart(server, catalog, 'own', 5)
  printLoad()
  printRow([
    'lines of the cart that all want',
    'alone, ms (median, 95 %)',
    'beside',
    'ratio',
    'ratio at 95 %',
    'adds/s',
  ])
  printRow(['--:', '--:', '--:', '--:', '--:', '--:'])
  for (const lines of [1, 20, 100]) {
    const wanted = `wanted-${lines}`
    await fillCart(server, catalog, wanted, lines)
    const times: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] }
    let added = 0
    for (let turn = 0; turn < 2 * turns; turn++) {
      const isAlone = turn % 2 === 0
      let over = false
      const crowd = Array.from({ length: isAlone ? 0 : clients }, async (_, i) => {
        for (; !over; added++) await mustAdd(wanted, i % lines)
      })
      const endsAt = performance.now() + seconds * 1000
      while (performance.now() < endsAt) {
        times[isAlone ? 'alone' : 'beside'].push(await timeOf(() => mustAdd('own', 0)))
        await new Promise((done) => setTimeout(done, 5))
      }
      over = true
      await Promise.all(crowd)
    }
    const { alone, beside } = times
    const cells = [alone, beside].map((some) => `${ms(median(some))}, ${ms(p95(some))}`)
    const ratios = [ratio(median(beside), median(alone)), ratio(p95(beside), p95(alone))]
    printRow([lines, ...cells, ...ratios, Math.round(added / turns / seconds)])
  }
  printLoad()
} finally {
  await server.stop()
}
