import { setTimeout as sleep } from 'node:timers/promises'
import { fillCart, item } from './fill-carts.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, ms, p95, printLoad, printRow, timeOf } from './pairs.ts'
import { type SeededCatalog, seedPublished } from './seed-published.ts'

/**
 * `node bench/promotion-load.ts [seconds clients]`: a store has as many automatic promotions of both kinds as it may,
 * and so many clients keep changing carts of 100 lines. What other requests of the same process take, alone and
 * beside them.
 */
const [seconds = 10, clients = 4] = process.argv.slice(2).map(Number)
const rules = 50
const standards = 1000
/** Of one rule: all of them have 2,500 at most. */
const conditions = 48
const always = { enabled: true, automatic: true, start: '2026-01-01', end: '2999-01-01' }

const server = await startOwnServer()
try {
  const catalog = await seedPublished(server, 1000)
  await fillCart(server, catalog, 'small', 1)
  for (let i = 0; i < clients; i++) await fillCart(server, catalog, `large-${i}`, 99)
  printLoad()
  printRow(['promotions', 'a change of 100 lines, ms (median, 95 %)', 'a read beside (median, 95 %, most)'])
  printRow(['---', '--:', '--:'])
  printRow(['alone', '–', cellsOf(await readFor(seconds))])
  printRow(['none', ...(await measure(catalog))])
  await makeRules(server, catalog)
  printRow([`${rules} rules of ${conditions} conditions`, ...(await measure(catalog))])
  await makeStandards(server, catalog)
  printRow([`and ${standards} standard ones`, ...(await measure(catalog))])
  printLoad()
} finally {
  await server.stop()
}

async function measure({ productIds }: SeededCatalog): Promise<readonly string[]> {
  let isOver = false
  const times: number[] = []
  const change = async (i: number) => {
    const body = item(productIds[0])
    while (!isOver) {
      times.push(await timeOf(() => server.call('POST', `/v2/carts/large-${i}/items`, body, 201)))
    }
  }
  const changing = Promise.all(Array.from({ length: clients }, (_, i) => change(i)))
  const read = await readFor(seconds)
  isOver = true
  await changing
  return [`${ms(median(times))}, ${ms(p95(times))}`, cellsOf(read)]
}

async function readFor(seconds: number): Promise<readonly number[]> {
  const times: number[] = []
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(20)) {
    times.push(await timeOf(() => server.call('GET', '/v2/settings')))
  }
  return times
}

function cellsOf(times: readonly number[]): string {
  return `${ms(median(times))}, ${ms(p95(times))}, ${ms(Math.max(...times))}`
}

/** Each condition is for other products, and all are met by none but the last. */
async function makeRules({ call }: OwnServer, { skus }: SeededCatalog): Promise<void> {
  for (let i = 0; i < rules; i++) {
    const children = Array.from({ length: conditions - 1 }, (_, n) => ({
      ...{ strategy: 'item_sku', operator: 'in' },
      args: skus.slice((i * conditions + n * 7) % 900, ((i * conditions + n * 7) % 900) + 20),
    }))
    const rule_set = {
      rules: { strategy: 'or', children },
      actions: [{ strategy: 'item_discount', args: ['percent', 1] }],
    }
    const body = { type: 'rule_promotion', name: `Rule ${i}`, description: 'A rule', stackable: true }
    await call('POST', '/v2/rule-promotions', { ...body, ...always, rule_set }, 201)
  }
}

async function makeStandards({ call }: OwnServer, { skus }: SeededCatalog): Promise<void> {
  for (let i = 0; i < standards; i++) {
    const schema = {
      currencies: [{ currency: 'USD', amount: 1 }],
      targets: skus.slice(i % 900, (i % 900) + 1),
    }
    const body = { type: 'promotion', name: `Offer ${i}`, description: 'An offer', schema }
    await call('POST', '/v2/promotions', { ...body, ...always, promotion_type: 'item_fixed_discount' }, 201)
  }
}
