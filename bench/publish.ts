import { setTimeout as sleep } from 'node:timers/promises'
import { costOf } from './acts/cost.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { printLoad, printRow } from './pairs.ts'
import { seedPrices } from './seed-prices.ts'
import { seedProducts } from './seed-products.ts'
import { seedPublished, seedSources } from './seed-published.ts'

/**
 * `node bench/publish.ts [products changes rounds]`: measures the publication of a catalog, from the request until its
 * release is published: the first one, and later ones after that many changed products. Every other one of these comes
 * after a checkpoint. With `copied` at the end the published rows are copied by SQL, and only the later ones are
 * measured: a first publication of a million products takes long.
 */
const [products = 100_000, changes = 100, rounds = 4] = process.argv.slice(2, 5).map(Number)
const isCopied = process.argv[5] === 'copied'

const server = await startOwnServer()
try {
  const catalogId = await (isCopied ? copied() : published())
  for (let round = 0; round < rounds; round++) {
    await change(server, changes, round)
    if (round % 2) await server.database.run({ text: 'CHECKPOINT', values: [], long: true })
    await measure(`after ${changes} changes${round % 2 ? ' and a checkpoint' : ''}`, changes, catalogId)
  }
  printLoad()
} finally {
  await server.stop()
}

/** A catalog that is published for the first time. */
async function published(): Promise<string> {
  const { hierarchyId } = await seedProducts(server, products)
  const pricebooks = (await seedPrices(server)).map((id, i) => ({ id, priority: 2 - i }))
  const attributes = { name: 'All', hierarchy_ids: [hierarchyId], pricebook_ids: pricebooks }
  const { data } = await server.call<Job>('POST', '/catalogs', { type: 'catalog', attributes }, 201)
  printTitles()
  await measure(`all of ${products}`, products, data.id)
  return data.id
}

async function copied(): Promise<string> {
  const { catalogId } = await seedPublished(server, products)
  await seedSources(server, products, changes * rounds)
  printTitles()
  return catalogId
}

interface Job {
  readonly data: { readonly id: string; readonly meta: { readonly release_status: string } }
}

function printTitles(): void {
  printLoad()
  printRow(['', 's', 'products/s', 'Node, ms', 'PostgreSQL, ms', 'of the log, MB'])
  printRow(['---', ...Array<string>(5).fill('--:')])
}

async function measure(name: string, count: number, catalogId: string): Promise<void> {
  let ms = 0
  const cost = await costOf(server, 1, async () => {
    ms = await publish(server, catalogId)
    return 1000 / ms
  })
  const perSecond = Math.round((count * 1000) / ms).toLocaleString('en')
  const spent = [cost.nodeUs / 1000, cost.postgresUs / 1000].map((spentMs) => spentMs.toFixed(0))
  printRow([name, (ms / 1000).toFixed(2), perSecond, ...spent, (cost.logBytes / 1e6).toFixed(1)])
}

async function publish({ call }: OwnServer, catalogId: string): Promise<number> {
  const began = performance.now()
  const path = `/catalogs/${catalogId}/releases`
  const { data } = await call<Job>('POST', path, { type: 'catalog-release' }, 201)
  for (;;) {
    const status = (await call<Job>('GET', `${path}/${data.id}`)).data.meta.release_status
    if (status === 'PUBLISHED') return performance.now() - began
    if (status === 'FAILED') throw new Error('publishing failed')
    // Polling is work too.
    await sleep(performance.now() - began < 2000 ? 20 : 200)
  }
}

/** Renames products all over the list, as clients do. */
async function change({ call, database }: OwnServer, n: number, round: number): Promise<void> {
  const rows = await database.run({
    text: `SELECT id FROM products WHERE sku <> 'thing' ORDER BY md5(id::text || $2::text) LIMIT $1`,
    values: [n, round],
  })
  for (const [id] of rows) {
    await call('PUT', `/pcm/products/${id}`, {
      type: 'product',
      id,
      attributes: { name: `Changed ${round}` },
    })
  }
}
