import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { actsIn } from './acts.ts'

/**
 * Point reads and transactions have one plan for all values (docs/decisions/0097-plans-of-writes.md). An index of some
 * rows serves such a plan only if the statement says in words that it wants these rows.
 */

let world: World
/** What was sent on connections whose statements are planned once. */
const texts = new Set<string>()
beforeAll(async () => {
  const { query } = pg.Client.prototype
  const plansOnce = new WeakSet<object>()
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [sent] = args as [string | { readonly texts?: readonly string[] }]
    if (typeof sent === 'string' && sent.includes('force_generic_plan')) plansOnce.add(this)
    if (typeof sent === 'object' && sent.texts && plansOnce.has(this))
      for (const text of sent.texts) texts.add(text)
    return query.apply(this, args as never) as never
  })
  world = await openWorld({ alone: true })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/** Of these a store has few rows, or one. Of the releases of a catalog at most a hundred are kept. */
const smallTables = [
  ...['currencies', 'gateways', 'integrations', 'catalogs', 'catalog_editions', 'catalog_releases'],
  ...['catalog_rule_states', 'promotion_states', 'rule_promotion_states'],
]

/** PostgreSQL takes a table with rows for one of very many, all of one store, and any index for better than none. */
const inLargeStore = `BEGIN; SET LOCAL enable_seqscan = off;
  UPDATE pg_class SET relpages = 1, reltuples = 1000000 WHERE relkind = 'r' AND oid IN (
    SELECT attrelid FROM pg_attribute WHERE attname = 'store_id' AND NOT attisdropped)`

async function planOf(text: string): Promise<Plan> {
  const explain = `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`
  const results = (await world.sql(`${inLargeStore}; ${explain}; ROLLBACK`)) as unknown as pg.QueryResult[]
  return results.at(-2)?.rows[0]['QUERY PLAN'][0].Plan
}

const nodesIn = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesIn)]

const isOfStoreAlone = (condition = ''): boolean => /^\((\w+\.)?store_id = [^()]+\)$/.test(condition)

test('no statement that is planned once reads a whole table of a store', async () => {
  for (const { ready, run, tidy } of Object.values(await actsIn(world))) {
    const made = await ready?.()
    await run(made)
    await tidy?.(made)
  }
  const { rows } = await world.sql(
    `SELECT DISTINCT attrelid::regclass::text AS name, pg_relation_size(attrelid) > 0 AS "hasRows"
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' WHERE attname = 'store_id'`,
  )
  const ofStores = new Map(rows.map(({ name, hasRows }) => [name as string, hasRows as boolean]))
  const statements = [...texts].filter((text) => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(text))
  expect(statements.length).toBeGreaterThan(80)
  const faults: Record<string, readonly string[]> = {}
  for (const text of statements) {
    const whole = nodesIn(await planOf(text)).flatMap((node) => {
      const { 'Relation Name': table = '', 'Index Cond': condition } = node
      if (!ofStores.has(table) || smallTables.includes(table)) return []
      // Of an empty table any index is as good as another.
      const isWhole = node['Node Type'] === 'Seq Scan' || (ofStores.get(table) && isOfStoreAlone(condition))
      return isWhole ? [`${node['Node Type']} of ${table}`] : []
    })
    if (whole.length) faults[text] = whole
  }
  expect(faults).toEqual({})
}, 300_000)

test('a partial index serves a general plan only for a statement that names its rows', async () => {
  await world.sql(
    'CREATE TABLE partly (store_id uuid, state text); CREATE INDEX ON partly (store_id) WHERE state = $$open$$',
  )
  const planWhere = async (condition: string) =>
    (await planOf(`SELECT FROM partly WHERE store_id = $1 AND ${condition}`))['Node Type']
  expect(await planWhere('state = $2')).toBe('Seq Scan')
  expect(await planWhere("state = 'open'")).not.toBe('Seq Scan')
  await world.sql('DROP TABLE partly')
})
