import { setTimeout as sleep } from 'node:timers/promises'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { seedPrices } from './seed-prices.ts'
import { seedProducts } from './seed-products.ts'

/**
 * `node bench/publish.ts [products changes rounds]`: measures the publication of a catalog, from the request until its
 * release is published: the first one, and later ones after that many changed products.
 */
const [products = 100_000, changes = 100, rounds = 3] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
try {
  const { hierarchyId } = await seedProducts(server, products)
  const pricebooks = (await seedPrices(server)).map((id, i) => ({ id, priority: 2 - i }))
  const attributes = { name: 'All', hierarchy_ids: [hierarchyId], pricebook_ids: pricebooks }
  const { data } = await server.call<Job>('POST', '/catalogs', { type: 'catalog', attributes }, 201)
  process.stdout.write('| | s | products/s |\n|---|--:|--:|\n')
  const whole = await publish(server, data.id)
  row(`all of ${products}`, whole, products)
  const after: number[] = []
  for (let round = 0; round < rounds; round++) {
    await change(server, changes, round)
    const took = await publish(server, data.id)
    after.push(took)
    row(`after ${changes} changes`, took, changes)
  }
  const median = after.sort((a, b) => a - b)[Math.floor(after.length / 2)] as number
  process.stdout.write(`all of it takes ${(whole / median).toFixed(1)} times as long\n`)
} finally {
  await server.stop()
}

interface Job {
  readonly data: { readonly id: string; readonly meta: { readonly release_status: string } }
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
    text: 'SELECT id FROM products ORDER BY md5(id::text || $2::text) LIMIT $1',
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

function row(name: string, ms: number, n: number): void {
  process.stdout.write(
    `| ${name} | ${(ms / 1000).toFixed(2)} | ${Math.round((n * 1000) / ms).toLocaleString('en')} |\n`,
  )
}
