import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tableSql } from '../../../scripts/tables/table-sql.ts'
import { app } from '../../../server/app.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { resourcesOf } from '../../../server/kernel/module.ts'
import { text } from '../../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../../server/kernel/shape/model.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { read } from '../../support/source-files.ts'

/** `npm run table` writes for each resource what its migrations have made, as far as a declaration says it. */

let database: OwnDatabase
let client: pg.Client
beforeAll(async () => {
  database = await ownDatabase()
  client = new pg.Client(database.url)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Tables that are not those of a plain resource, and why. */
const others: Readonly<Record<string, string>> = {
  associated_products: 'links',
  integration_jobs: 'rows of many columns, in no feed',
  integration_logs: 'as the jobs',
  node_products: 'links',
  nodes: 'two types in one table',
  orders: 'most of its columns are made of its contents',
  promotion_versions: 'a trigger writes them, and they are in no feed',
}

/** What else differs, and why. */
const differences: Readonly<Record<string, string>> = {
  'catalog_releases constraints catalog_releases_pkey': 'it leads with the catalog',
  'flow_fields constraints flow_fields_slug_key': 'unique in the flow, which is the scope of another list',
  'rule_promotion_codes columns code': 'the code without its case',
  'rule_promotion_usages columns code': 'as that of the codes',
  'standard_promotion_codes columns code': 'as that of rule promotions',
  'standard_promotion_usages columns code': 'as that of the codes',
  'stock_transactions columns location': 'its lists have two envelopes',
  'stocks columns available': 'as the transactions',
}

const tables = [
  ...Map.groupBy(
    resourcesOf(app).filter(
      ({ table, editions }) => /^\w+$/.test(table) && !editions && !Object.hasOwn(others, table),
    ),
    ({ table }) => table,
  ),
]

const factsSql = {
  columns: `SELECT a.attname AS name, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
      pg_get_expr(d.adbin, d.adrelid)) AS fact
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
  constraints: `SELECT conname AS name, replace(pg_get_constraintdef(oid), 'public.', '') AS fact
    FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n'`,
  indexes: `SELECT indexname AS name, regexp_replace(indexdef, '^.*USING \\w+ ', '') AS fact FROM pg_indexes
    WHERE (quote_ident(schemaname) || '.' || tablename)::regclass = $1::regclass`,
  // Earlier versions of track wrote the same facts in other words.
  track: `SELECT fact AS name, fact FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
      CROSS JOIN LATERAL (
        SELECT DISTINCT concat(f[1], f[2]) AS fact
        FROM regexp_matches(p.prosrc, $$INTO list_deltas VALUES \\('([^']*)'|r\\.id, ([^;]*), split_part\\(author, ' ', 1\\)$$, 'g') f
      ) facts
    WHERE t.tgrelid = $1::regclass AND t.tgname = 'track'`,
} as const

/** The columns that a trigger fills, in place of their own expressions: see docs/decisions/0109-filled-columns.md. */
async function filledColumns(table: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query(
    `SELECT filled[1] AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     CROSS JOIN regexp_matches(p.prosrc, 'NEW[.]([a-z_]+) :=', 'g') filled
     WHERE t.tgrelid = $1::regclass AND p.proname LIKE 'fill%columns'`,
    [table],
  )
  return new Set(rows.map(({ name }) => name))
}

async function factsOf(table: string) {
  const facts: Record<string, Map<string, string>> = {}
  for (const [kind, sql] of Object.entries(factsSql)) {
    const { rows } = await client.query(sql, [table])
    facts[kind] = new Map(rows.map(({ name, fact }) => [name, fact]))
  }
  return facts
}

/** An index as it finds rows: what follows the value may be in another order. */
const isServed = (written: string, indexes: readonly string[]) => {
  const begins = written
    .replace(/ text_pattern_ops/g, '')
    .replace(/(, created_at)?(, id)?\)( INCLUDE \(created_at\))?$/, '')
  return indexes.some((index) => index.replace(/ text_pattern_ops/g, '').startsWith(begins))
}

/** One of two ways to write the same. */
const plain = (fact = '') =>
  fact
    .replace(/\((\w+) #>> '\{(\w+),(\w+)\}'::text\[\]\)/g, "(($1 -> '$2'::text) ->> '$3'::text)")
    .replace(/ INCLUDE \(.*?\)$/, '')

test('each table has what `npm run table` writes for it, except what the list names', async () => {
  const found: string[] = []
  for (const [table, resources] of tables) {
    const actual = await factsOf(`public.${table}`)
    const filled = await filledColumns(`public.${table}`)
    await client.query('BEGIN; CREATE SCHEMA written; SET LOCAL search_path = written, public')
    const written = await client
      .query(tableSql(resources))
      .then(() => factsOf(`written.${table}`))
      .finally(() => client.query('ROLLBACK'))
    for (const [kind, facts] of Object.entries(written)) {
      const own = actual[kind] as Map<string, string>
      for (const [name, fact] of facts) {
        const ownFact = plain(own.get(name))
        const isFilled = kind === 'columns' && filled.has(name) && plain(fact).startsWith(`${ownFact} `)
        const isOwn = kind === 'indexes' ? isServed(fact, [...own.values()]) : ownFact === plain(fact)
        if (!isOwn && !isFilled) found.push(`${table} ${kind} ${name}`)
      }
    }
  }
  expect(found.sort()).toEqual(Object.keys(differences).sort())
}, 60_000)

test('the guide shows what is written for the resource that it declares', () => {
  const brands = resource({
    type: 'brand',
    noun: ['brand', 'brands'],
    about: 'The maker of a product.',
    path: '/v2/brands',
    table: 'brands',
    area: 'brands',
    envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
    fields: { name: text({ required: true, min: 1, max: 255, about: 'Shown to shoppers.' }) },
    filter: { ...walks, name: indexed('eq', 'like') },
    sort: ['id', 'created_at', 'name'],
    constraints: { brands_name_key: { code: 'conflict', detail: 'a brand of this name exists' } },
  })
  const withoutComments = read('docs/adding-a-resource.md').replace(/^ *--.*\n/gm, '')
  expect(withoutComments).toContain(tableSql([brands]))
})
