import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { priceImportOf } from '../../../server/prices/price-import/price-import.ts'
import { stageLines } from '../../../server/prices/price-import/staged-lines.ts'
import { pimJobs } from '../../../server/store/index.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'silent' } })
  // The connection of whoever writes this price ends, as when a server is killed in the middle of a part.
  await world.sql(`
    CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid());
      RETURN NULL;
    END $$`)
})
afterAll(() => world.close())

const count = 9
const lines = [
  { type: 'pricebook', attributes: { name: 'Book', external_ref: 'b' } },
  ...Array.from({ length: count }, (_, i) => ({
    type: 'product-price',
    pricebook_external_ref: 'b',
    attributes: {
      external_ref: `p${i}`,
      sku: `S${i}`,
      currencies: { USD: { amount: i, includes_tax: false } },
    },
  })),
]
const file = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))

async function run(perPart: number, breakAt?: string) {
  const { work } = world
  await world.sql('DELETE FROM pricebooks')
  const importId = randomUUID()
  const staged = await stageLines(work, importId, Readable.from([file]))
  const facts = { type: 'price-import', status: 'pending', started_at: null, completed_at: null } as const
  const { id } = await add(work, pimJobs, [], { ...facts, request_id: 'at once' })
  const payload = { jobId: id, payload: { importId, lines: staged.lines } }
  const job = priceImportOf(perPart)
  if (breakAt) {
    await world.sql(`CREATE TRIGGER break_off BEFORE INSERT ON prices FOR EACH ROW
      WHEN (NEW.doc->'attributes'->>'sku' = '${breakAt}') EXECUTE FUNCTION break_off()`)
    await expect(job.run(work, payload)).rejects.toThrow()
    await world.sql('DROP TRIGGER break_off ON prices')
  }
  await job.run(work, payload)
  const { attributes, meta } = (await world.admin.get(`/pcm/jobs/${id}`)).body.data
  const { rows } = await world.sql(`SELECT doc, version FROM prices ORDER BY doc->'attributes'->>'sku'`)
  expect((await world.sql('SELECT FROM price_import_lines')).rowCount).toBe(0)
  return [attributes.status, meta.progress, rows]
}

test('an import that is interrupted anywhere and resumed does the same as one that is not', async () => {
  const whole = await run(100)
  expect(whole.slice(0, 2)).toEqual(['success', { done: count + 1, of: count + 1 }])
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.nat({ max: count - 1 }), async (perPart, at) => {
      expect(await run(perPart, `S${at}`)).toEqual(whole)
    }),
    { numRuns: tries(3, 6) },
  )
})
