import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchMax } from '../../../server/assortment/variations/build-children.ts'
import { Merchant } from '../../builders/assortment/variations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const ids = (i: string) => `md5(${i}::text)::uuid`

test.for([
  [
    'products',
    `INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
     SELECT $1, ${ids('i')}, now(), now(),
       '{"attributes":{"name":"One","status":"draft","commodity_type":"physical"}}',
       CASE i WHEN 0 THEN '{"product_type":"parent"}'::json
         ELSE json_build_object('product_type', 'child', 'parent_id', ${ids('0')}) END
     FROM generate_series(0, 500) i`,
  ],
  [
    'nodes',
    `INSERT INTO nodes (store_id, hierarchy_id, id, created_at, updated_at, doc, hidden)
     SELECT $1, CASE i WHEN 0 THEN $1 ELSE ${ids('0')} END, ${ids('i')}, now(), now(),
       json_build_object('attributes', json_build_object('name', i::text), 'relationships', CASE WHEN i > 0 THEN
         json_build_object('parent', json_build_object('data', json_build_object('id', ${ids('0')}))) END),
       '{"breadcrumbs":[],"changed_at":0}'
     FROM generate_series(0, 500) i`,
  ],
])(
  'a connection that deletes thousands of %s uses a generic plan to find their children',
  async ([table, insert]) => {
    await world.sql(insert as string, [world.storeId])
    await world.sql(`ANALYZE ${table}`)
    const connection = await world.server.instance.database.pool.connect()
    try {
      // The same statement as in the triggers, whose plans cannot be inspected.
      await connection.query(
        `PREPARE deletion (uuid, uuid) AS DELETE FROM ${table} WHERE store_id = $1 AND parent_id = $2`,
      )
      for (let i = 1; i <= 10; i++)
        await connection.query(`EXECUTE deletion ('${world.storeId}', ${ids(String(i))})`)
      const { rows } = await connection.query(
        `SELECT generic_plans::int AS once, custom_plans::int AS anew FROM pg_prepared_statements WHERE name = 'deletion'`,
      )
      expect(rows).toEqual([{ once: 10, anew: 0 }])
      const { rows: plan } = await connection.query(
        `EXPLAIN (GENERIC_PLAN) DELETE FROM ${table} WHERE store_id = $1 AND parent_id = $2`,
      )
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('Index Scan')
    } finally {
      connection.release(true)
    }
  },
)

test('no statement of a build writes more children than one batch', async () => {
  await world.sql(`CREATE TABLE parts (n integer);
    CREATE FUNCTION count_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO parts SELECT count(*) FROM written;
      RETURN NULL;
    END $$;
    CREATE TRIGGER count_added AFTER INSERT ON products REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION count_part();
    CREATE TRIGGER count_changed AFTER UPDATE ON products REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION count_part()`)
  const merchant = new Merchant(world)
  const names = Array.from({ length: 17 }, (_, i) => `o${i}`)
  const [one, two] = [await merchant.variation('One', ...names), await merchant.variation('Two', ...names)]
  const id = await merchant.product({ sku: 'many-' })
  await merchant.link(id, one.id, two.id)
  for (const description of ['Made.', 'Changed.']) {
    await merchant.change(id, { description })
    await world.sql('TRUNCATE parts')
    expect(await merchant.build(id)).toEqual([])
    const { rows } = await world.sql('SELECT n FROM parts WHERE n > 1 ORDER BY n')
    expect(rows.map(({ n }) => n)).toEqual([17 * 17 - batchMax, batchMax])
  }
})
