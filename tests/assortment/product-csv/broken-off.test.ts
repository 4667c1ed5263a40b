import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { productImportOf } from '../../../server/assortment/product-csv/product-import.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { csvOf } from './csv.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'silent' } })
  await makeFlow(world.admin, 'products(book)', { pages: { field_type: 'integer' } })
  // The connection of whoever writes this product ends, as when a server is killed in the middle of a part.
  await world.sql(`
    CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid());
      RETURN NULL;
    END $$`)
})
afterAll(() => world.close())

const breakAt = (name: string) =>
  world.sql(`CREATE TRIGGER break_off BEFORE INSERT OR UPDATE ON products FOR EACH ROW
    WHEN (NEW.doc->'attributes'->>'name' = '${name}') EXECUTE FUNCTION break_off()`)
const mend = () => world.sql('DROP TRIGGER IF EXISTS break_off ON products')

/** What a store has in the end, without what is another each time. */
async function state() {
  const { rows } = await world.sql(
    `SELECT p.doc->'attributes' AS attributes, p.version, (
       SELECT json_agg(e.doc) FROM flow_entries e WHERE e.store_id = $1 AND e.product_id = p.id) AS said
     FROM products p WHERE p.store_id = $1 ORDER BY p.doc->'attributes'->>'name'`,
    [world.storeId],
  )
  return rows
}

const count = 12
const rows = Array.from({ length: count }, (_, i) =>
  // One row in four has a fault, and each takes the SKU that the one before it has given up.
  [`R${i}`, `P${i}`, `s${i + 1}`, i % 4 === 3 ? 'none' : 'physical', String(i)].join(','),
)
const written = Array.from({ length: count }, (_, i) => i).filter((i) => i % 4 !== 3)
const header = 'external_ref,name,sku,commodity_type,products(book):pages'
const first = [header, ...rows.map((row, i) => row.replace(`s${i + 1}`, `s${i}`).replace('none', 'digital'))]

test('an import that is interrupted anywhere and resumed does the same as one that is not', async () => {
  const { stage, errorsOf, importAtOnce } = csvOf(world)
  const run = async (perPart: number, at?: string) => {
    await world.sql('DELETE FROM products')
    await importAtOnce(first.join('\n'))
    const payload = await stage([header, ...rows].join('\n'))
    const job = productImportOf(perPart)
    if (at) {
      await breakAt(at)
      // The queue tries again when the database is back.
      const isBrokenOff = await job.run(world.work, payload).then(
        () => false,
        () => true,
      )
      await mend()
      expect(isBrokenOff).toBe(true)
    }
    await job.run(world.work, payload)
    const { body } = await world.admin.get(`/pcm/jobs/${payload.jobId}`)
    expect((await world.sql('SELECT FROM product_import_rows')).rowCount).toBe(0)
    return [
      body.data.attributes.status,
      body.data.meta.progress,
      await errorsOf(payload.jobId),
      await state(),
    ]
  }
  const whole = await run(count)
  expect(whole.slice(0, 2)).toEqual(['failed', { done: count, of: count }])
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: count }), fc.constantFrom(...written), async (perPart, at) => {
      expect(await run(perPart, `P${at}`)).toEqual(whole)
    }),
    { numRuns: tries(3, 8) },
  )
})
