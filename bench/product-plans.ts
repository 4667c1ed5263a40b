import { startOwnServer } from './own-server.ts'
import { filteredSql, productFilters } from './product-scenarios.ts'
import { seedProducts } from './seed-products.ts'

/** `node bench/product-plans.ts [rows]`: shows how PostgreSQL answers filters of products. */
const [rows = 100_000] = process.argv.slice(2).map(Number)
const server = await startOwnServer()
try {
  const { storeId } = await seedProducts(server, rows)
  for (const [name, filter] of Object.entries(productFilters)) {
    const { text, values } = filteredSql(filter, storeId)
    const plan = await server.database.run({ text: `EXPLAIN (ANALYZE, BUFFERS) ${text}`, values, once: true })
    process.stdout.write(`${name}: ${filter}\n${plan.map(([line]) => `  ${line}`).join('\n')}\n\n`)
  }
} finally {
  await server.stop()
}
