import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { type Csv, csvOf } from './csv.ts'

let world: World
let importAtOnce: Csv['importAtOnce']
beforeAll(async () => {
  world = await openWorld({ alone: true })
  ;({ importAtOnce } = csvOf(world))
  const isbn = { field_type: 'string', validation_rules: [{ type: 'enum', options: ['i1', 'i2', ''] }] }
  await makeFlow(world.admin, 'products(book)', { isbn, pages: { field_type: 'integer', default: 9 } })
  await makeFlow(world.admin, 'products(shoe)', { size: { field_type: 'integer', required: true } })
})
afterAll(() => world.close())

const header =
  'external_ref,name,sku,commodity_type,tags,admin_attributes.k,products(book):isbn,products(shoe):size'

const cell = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: '' as const })
/** So few values that rows meet each other's. */
const aRow = fc.tuple(
  cell(fc.constantFrom('R1', 'R2', 'R3')),
  fc.constantFrom('A', 'B', ''),
  cell(fc.constantFrom('s1', 's2', 's3')),
  fc.constantFrom('physical', 'digital', 'none'),
  cell(fc.constantFrom('x', '"x,y"')),
  fc.constantFrom('', 'k', '__REMOVE_ATTRIBUTE__'),
  cell(fc.constantFrom('i1', 'i2', 'i3')),
  cell(fc.constantFrom('41', '42', 'big')),
)
/** Rows of which no two name the same product: a file of others is refused in part. */
const someRows = fc
  .array(aRow, { minLength: 2, maxLength: 10 })
  .map((rows) => {
    const keys = new Set<string>()
    return rows.filter(([ref, , sku]) => {
      const own = [ref && `ref ${ref}`, sku && `sku ${sku}`].filter((key) => key !== '')
      if (own.some((key) => keys.has(key))) return false
      for (const key of own) keys.add(key)
      return true
    })
  })
  .filter((rows) => rows.length > 1)
const csv = (rows: readonly (readonly string[])[]) => [header, ...rows.map((row) => row.join(','))].join('\n')

/** All that a store has but what is another each time. */
async function state(): Promise<readonly string[]> {
  const { rows } = await world.sql(
    `SELECT json_build_array(p.doc->'attributes',
       (SELECT json_agg(w.slug ORDER BY w.slug) FROM product_templates t JOIN flows w ON w.store_id = $1 AND w.id = t.id
        WHERE t.store_id = $1 AND t.product_id = p.id),
       (SELECT json_object_agg(w.slug, e.doc ORDER BY w.slug) FROM flow_entries e JOIN flows w ON w.store_id = $1 AND w.id = e.flow_id
        WHERE e.store_id = $1 AND e.product_id = p.id))::text AS state
     FROM products p WHERE p.store_id = $1`,
    [world.storeId],
  )
  return rows.map((row) => row.state as string).toSorted()
}

const versions = async () =>
  (
    await world.sql(
      'SELECT id, version FROM products UNION ALL SELECT id, version FROM flow_entries ORDER BY 1, 2',
    )
  ).rows

test('a file that is split anywhere gives the same products and the same faults', async () => {
  await fc.assert(
    fc.asyncProperty(someRows, someRows, fc.nat(), async (first, rows, at) => {
      const split = 1 + (at % (rows.length - 1))
      const outcomes: unknown[] = []
      for (const parts of [[rows], [rows.slice(0, split), rows.slice(split)], rows.map((row) => [row])]) {
        await world.sql('DELETE FROM products')
        await importAtOnce(csv(first))
        const refused: string[] = []
        for (const part of parts) refused.push(...(await importAtOnce(csv(part))))
        outcomes.push([await state(), refused.map((message) => message.replace(/^row \d+/, ''))])
      }
      expect(outcomes[1]).toEqual(outcomes[0])
      expect(outcomes[2]).toEqual(outcomes[0])
    }),
    { numRuns: tries(6, 20) },
  )
})

test('a file whose rows name their products changes nothing when it is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRow, { minLength: 1, maxLength: 10 }), async (rows) => {
      await world.sql('DELETE FROM products')
      // Of rows of one product the last would be undone by the first; and a SKU is given up in favour of another.
      const apart = rows.map(([, name, sku, ...others], i) => [
        `R${i}`,
        name,
        sku && `${sku}-${i}`,
        ...others,
      ])
      const refused = await importAtOnce(csv(apart))
      const before = await versions()
      expect(await importAtOnce(csv(apart))).toEqual(refused)
      expect(await versions()).toEqual(before)
    }),
    { numRuns: tries(6, 20) },
  )
})
