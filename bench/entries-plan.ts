/**
 * How filters on custom fields are answered: times and plans of lists of entries, in one large custom API and in one
 * of many small ones. The findings are in docs/entries-index.md.
 *
 *     node bench/entries-plan.ts [entries] [database-url]
 *
 * Without a database it starts one of its own in a temporary directory, and removes it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { define, toField } from '../server/fields/custom-apis/definition.ts'
import type { CustomFieldType } from '../server/fields/custom-apis/field-rules.ts'
import { newId } from '../server/kernel/ids.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { migrate } from '../server/kernel/upgrades/migrate.ts'
import { startEmbedded } from '../server/platform/postgres/embedded.ts'

const large = Number(process.argv[2] ?? 1_000_000)
const small = { apis: 1000, entries: 100 }

const fields: readonly (readonly [slug: string, type: CustomFieldType])[] = [
  ['title', 'string'],
  ['shelf', 'string'],
  ['price', 'integer'],
  ['lent', 'boolean'],
]
/**
 * The n-th entry. Its title is unique, its shelf is one of ten, its price looks random, and one entry in a hundred is
 * lent.
 */
const nth = `json_build_object('title', 'title ' || lpad(n::text, 7, '0'), 'shelf', 'shelf ' || n % 10,
  'price', n::bigint * 7919 % 1000000, 'lent', n % 100 = 0)`

const filters = [
  '',
  'eq(title,title 0000042)',
  'eq(title,no such title)',
  'in(title,title 0000001,title 0000002,title 0000003)',
  'like(title,title 000004*)',
  'like(title,*0042)',
  'ge(price,999990)',
  'ge(price,500000)',
  'eq(shelf,shelf 3)',
  'eq(lent,true)',
  'eq(lent,false)',
  'eq(shelf,shelf 3):ge(price,999000)',
  '(eq(title,title 0000042)|eq(title,title 0000043))',
]

const home = process.argv[3] ? undefined : mkdtempSync(join(tmpdir(), 'entries-plan-'))
const embedded = home ? await startEmbedded(home) : undefined
const database = new Database(process.argv[3] ?? embedded?.url ?? '', 2)
const storeId = newId()
try {
  await migrate(database)
  const big = await timed(`${large} entries in one custom API`, () => seed(1, large))
  const many = await timed(`${small.apis} custom APIs of ${small.entries} entries`, () =>
    seed(small.apis, small.entries),
  )
  await timed('merging the counters', merge)
  await timed('vacuum and analyze', () => run('VACUUM (ANALYZE)'))
  for (const table of ['entries', 'entry_values']) {
    const [sizes] = await run(
      `SELECT pg_size_pretty(pg_table_size($1::regclass)), pg_size_pretty(pg_indexes_size($1::regclass))`,
      table,
    )
    console.log(`${table}: ${sizes?.[0]}, and indexes of ${sizes?.[1]}`)
  }
  await measure('one large custom API', big)
  await measure('one of the small custom APIs', many)
} finally {
  await database.close()
  await embedded?.stop()
  if (home) rmSync(home, { recursive: true, force: true })
}

function run(text: string, ...values: readonly unknown[]) {
  return database.run({ text, values, once: true })
}

/** Merges the totals, as the server's chore does. */
async function merge(): Promise<void> {
  for (let merged = 1; merged > 0; ) {
    merged = await database.transaction(async (transaction) => {
      await transaction.run({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', values: [] })
      const [row] = await transaction.run({ text: 'SELECT merge_lists(id, 500) FROM stores', values: [] })
      return Number(row?.[0])
    })
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  console.log(`${what}: ${Math.round(performance.now() - start)} ms`)
  return result
}

/** Writes custom APIs with their entries, and returns one of them. */
async function seed(apis: number, entries: number) {
  await run(
    `INSERT INTO custom_apis (store_id, id, created_at, updated_at, doc)
     SELECT $1::uuid, gen_random_uuid(), now(), now(), json_build_object('name', 'x',
       'slug', $2::integer * 100000 + n, 'api_type', $2::integer * 100000 + n) FROM generate_series(1, $2::integer) n`,
    storeId,
    apis,
  )
  const [api] = await run(
    `SELECT id FROM custom_apis WHERE store_id = $1 AND slug = $2`,
    storeId,
    String(apis * 100_000 + 1),
  )
  const mine = `(SELECT id FROM custom_apis WHERE store_id = $1 AND slug::integer / 100000 = $2::integer)`
  for (const [slug, type] of fields) {
    await run(
      `INSERT INTO custom_fields (store_id, custom_api_id, id, created_at, updated_at, doc)
       SELECT $1::uuid, a.id, gen_random_uuid(), now(), now(), json_build_object('name', $3::text, 'slug', $3::text,
         'field_type', $4::text) FROM ${mine} a`,
      storeId,
      apis,
      slug,
      type,
    )
  }
  const step = Math.max(1, Math.floor(50_000 / apis))
  for (let from = 1; from <= entries; from += step) {
    await run(
      `INSERT INTO entries (store_id, custom_api_id, id, created_at, updated_at, doc, hidden)
       SELECT $1::uuid, a.id, gen_random_uuid(), t.at, t.at, ${nth}, '{"meta":{"data_size":30}}'
       FROM ${mine} a, generate_series($3::integer, $4::integer) n,
         LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) t`,
      storeId,
      apis,
      from,
      Math.min(entries, from + step - 1),
    )
  }
  const rows = await run(
    'SELECT id, slug FROM custom_fields WHERE store_id = $1 AND custom_api_id = $2',
    storeId,
    api?.[0],
  )
  return { id: api?.[0] as string, fieldIds: new Map(rows.map(([id, slug]) => [slug, id as string])) }
}

async function measure(where: string, { id, fieldIds }: Awaited<ReturnType<typeof seed>>) {
  const own = fields.map(([slug, field_type]) =>
    toField(fieldIds.get(slug) as string, {
      ...{
        slug,
        name: slug,
        description: '',
        field_type,
        use_as_url_slug: false,
        presentation: { sort_order: 0 },
      },
      validation: { [field_type]: { allow_null_values: true, immutable: false } },
    }),
  )
  const facts = { name: '', description: '', slug: 'x', api_type: 'x_ext', allow_upserts: false }
  const doc = { ...facts, presentation: undefined, relationships: { parent_apis: { data: [] } } }
  const { entries } = define(id, '', doc, own)
  console.log(`\n${where}, newest 25 of them\n`)
  console.log('| filter | matches | list, ms | of that the count, ms | the page is read by |')
  console.log('| --- | --: | --: | --: | --- |')
  for (const filter of filters) {
    const { filter: planned } = plan(parse(`filter=${encodeURIComponent(filter)}`), entries)
    const window = { limit: 25, offset: 0, column: 'created_at', descending: true }
    const { text, values } = pageSql({ resource: entries, scope: [id] }, planned, window, storeId)
    let best: { total: number; count: number; matches: string; page: string } | undefined
    for (let round = 0; round < 3; round++) {
      const [explained] = await run(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, ...values)
      const [{ Plan: root, ...times }] = JSON.parse(explained?.[0] as string)
      const nodes = flat(root)
      const total = times['Planning Time'] + times['Execution Time']
      const count = nodes.find((node) => node['Subplan Name'] === 'CTE t')
      if (best && best.total <= total) continue
      const [row] = await run(text, ...values)
      const read = nodes.filter((node) => node['Index Name'] && !flat(count as Node).includes(node))
      best = {
        total,
        count: count?.['Actual Total Time'] ?? 0,
        matches: row?.[0] ?? '',
        page: read
          .filter((node) => node['Actual Loops'] > 0 && /^entr/.test(node['Index Name'] ?? ''))
          .map((node) => `${node['Index Name']} (${Math.round(node['Actual Rows'] * node['Actual Loops'])})`)
          .join(', '),
      }
    }
    if (best) {
      const { matches, total, count, page } = best
      console.log(`| \`${filter}\` | ${matches} | ${total.toFixed(1)} | ${count.toFixed(1)} | ${page} |`)
    }
  }
}

interface Node {
  readonly 'Subplan Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Total Time': number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Node[]
}

function flat(node: Node): readonly Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)]
}
