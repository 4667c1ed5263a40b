import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Store } from '../../../server/kernel/storage/store.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { codesStateSql, findEnteredCodes } from '../../../server/promotions/index.ts'
import { idIn, kinds, makePromotion, spend } from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

const codes = 20_000

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
  for (const kind of kinds) {
    const promotionId = idIn(await makePromotion(world.admin, kind))
    const table = kind === 'promotions' ? 'standard_promotion_codes' : 'rule_promotion_codes'
    await world.sql(
      `INSERT INTO ${table} (store_id, promotion_id, id, created_at, updated_at, doc)
       SELECT $1, $2, gen_random_uuid(), now(), now(), json_build_object('code', 'Code-' || n, 'consume_unit', $3::text,
         'max_uses', 5, 'max_uses_per_shopper', json_build_object('max_uses', 2, 'includes_guests', true))
       FROM generate_series(1, ${codes}) n`,
      [world.storeId, promotionId, kind === 'promotions' ? 'per_cart' : 'per_checkout'],
    )
    for (let n = 1; n <= 50; n++) {
      await spend(world, [{ promotionId, code: `Code-${n}`, uses: 1 }], { customerId: randomUUID() })
    }
  }
  await world.sql(
    `INSERT INTO paying_shoppers (store_id, shopper, order_id)
     SELECT $1, 'customer:' || gen_random_uuid(), gen_random_uuid() FROM generate_series(1, ${codes})`,
    [world.storeId],
  )
})
afterAll(() => world.close())

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}

const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]

const entered = ['code-7', 'code-19999', 'unknown']

/** The tables that a statement scans as a whole, planned for no value. */
async function scanned(text: string, values: readonly unknown[]): Promise<readonly (string | undefined)[]> {
  const client = await world.server.instance.database.pool.connect()
  try {
    await client.query('SET plan_cache_mode = force_generic_plan')
    const { rows } = await client.query({
      name: `explained ${text}`,
      text: `EXPLAIN (FORMAT JSON) ${text}`,
      values: [world.storeId, ...values],
    })
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    return flat(root)
      .filter((plan) => plan['Node Type'] === 'Seq Scan')
      .map((plan) => plan['Relation Name'])
  } finally {
    client.release(true)
  }
}

const shopper = { customerId: '$3::text', accountId: 'NULL::text', email: 'NULL::text' }
const stateSql = `SELECT ${codesStateSql('$2::jsonb', shopper)}`

test('the state of codes is read from indexes, with and without statistics of the tables', async () => {
  const values = [JSON.stringify(entered), randomUUID()]
  expect(await scanned(stateSql, values)).toEqual([])
  await world.sql('ANALYZE')
  expect(await scanned(stateSql, values)).toEqual([])
})

test('codes are found in indexes', async () => {
  const texts: string[] = []
  class WatchedStore extends Store {
    override read(text: `SELECT ${string}`) {
      texts.push(text)
      return Promise.resolve([])
    }
  }
  const store = new WatchedStore(world.storeId, world.server.instance.database, () => new Date(), 'nobody')
  await findEnteredCodes({ ...world.work, store } as unknown as Work, entered, {})
  expect(texts.length).toBe(1)
  expect(await scanned(texts[0] as string, [entered, 'customer:1'])).toEqual([])
})
