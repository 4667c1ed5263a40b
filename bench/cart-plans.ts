import pg from 'pg'
import { carts } from '../server/carts/cart/carts.ts'
import { ownedBy } from '../server/carts/contents/owners.ts'
import type { Resource } from '../server/kernel/declare/resource.ts'
import type { Window } from '../server/kernel/query/page-text.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql, type Source } from '../server/kernel/query/sql.ts'
import type { Sql } from '../server/kernel/storage/database.ts'
import { orders } from '../server/orders/order/orders.ts'
import { kinds } from '../server/promotions/codes/promotion-kinds.ts'
import { rulePromotions } from '../server/promotions/rules/rule-promotions.ts'
import { promotions } from '../server/promotions/standard/promotions.ts'
import { startOwnServer } from './own-server.ts'
import { type SeededCarts, seedCarts } from './seed-carts.ts'

/**
 * `node bench/cart-plans.ts [rows [name]]`: how PostgreSQL answers lists of carts, orders, promotions, codes and
 * usages, with each filter: the rows that each statement reads, and by which index. With a name it shows whole plans.
 */
const [rows, only] = [Number(process.argv[2] ?? 200_000), process.argv[3]]

const instant = new Date(Date.now() - 250_000_000).toISOString()
const late = 'page[offset]=10000'
const filtered = (filter: string) => `filter=${filter}`

interface List {
  readonly name: string
  readonly source: Source
  readonly query: string
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Node[]
}

async function show({ name, source, query }: List, storeId: string): Promise<void> {
  const asked = parse(query)
  const { filter, sort } = plan(asked, source.resource)
  const window: Window = { limit: 25, offset: asked.offset, column: sort.column, descending: sort.descending }
  const sql = pageSql(source, filter, window, storeId)
  const { rows: found } = await client.query({ text: sql.text, values: [...sql.values], rowMode: 'array' })
  const times: number[] = []
  let root: Node | undefined
  for (let round = 0; round < 3; round++) {
    const explained = await explain(sql)
    root = explained.Plan
    times.push(explained['Execution Time'])
  }
  times.sort((a, b) => a - b)
  const nodes = flat(root as Node)
  const read = nodes.filter((node) => node['Relation Name'] ?? node['Index Name'])
  const rowsRead = Math.round(read.reduce((sum, node) => sum + readBy(node), 0))
  const blocks = (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0)
  const by = [...new Set(read.filter((node) => readBy(node) > 0).map(placeOf))].join(', ')
  const cells = [name, found[0]?.[0], times[1]?.toFixed(1), rowsRead, blocks, by]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
  if (only !== undefined) process.stdout.write(`${sql.text}\n${await planText(sql)}\n`)
}

const flat = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(flat)]

const readBy = (node: Node) =>
  node['Actual Loops'] *
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0))

const placeOf = (node: Node) => node['Index Name'] ?? `**${node['Node Type']} ${node['Relation Name']}**`

/** As the server runs it: what it prepares is planned for no value. */
async function explain(sql: Sql): Promise<{ readonly Plan: Node; readonly 'Execution Time': number }> {
  const { rows } = await explained(sql, 'ANALYZE, BUFFERS, FORMAT JSON')
  return rows[0]['QUERY PLAN'][0]
}

async function planText(sql: Sql): Promise<string> {
  const { rows } = await explained(sql, 'ANALYZE, BUFFERS')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

async function explained({ text, values, once }: Sql, options: string) {
  if (once) return client.query(`EXPLAIN (${options}) ${text}`, [...values])
  await client.query(`PREPARE one AS ${text}`)
  try {
    return await client.query(`EXPLAIN (${options}) EXECUTE one (${values.map(literal).join(', ')})`)
  } finally {
    await client.query('DEALLOCATE one')
  }
}

const literal = (value: unknown): string =>
  Array.isArray(value)
    ? pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`)
    : typeof value === 'number'
      ? String(value)
      : pg.escapeLiteral(String(value))

function listsOf(seeded: SeededCarts): readonly List[] {
  return [
    ...cartLists(seeded),
    ...orderLists(seeded),
    ...promotionLists(),
    ...codeLists(seeded, 'standard'),
    ...codeLists(seeded, 'rule'),
  ]
}

/** A list with each of these queries. */
const withQueries = (
  name: string,
  resource: Resource,
  queries: readonly string[],
  { scope = [], where }: { readonly scope?: readonly string[]; readonly where?: Source['where'] } = {},
): readonly List[] =>
  queries.map((query) => ({
    name: `${name} \`${query}\``,
    source: { resource, scope, ...(where && { where }) },
    query: query.replace(/(?<==)[^&]*/g, (value) => encodeURIComponent(value)),
  }))

function cartLists({ cartId, customerId, accountId, busyAccountId }: SeededCarts): readonly List[] {
  const of = (column: 'customers' | 'accounts', id: string) => ({
    where: (bind: (value: unknown) => string) => ownedBy(column, bind(JSON.stringify([id]))),
  })
  const narrowed = ['', late, 'sort=created_at', 'filter=like(name,cart 12*)']
  return [
    ...withQueries('carts', carts as never, [
      ...['', late, 'sort=-created_at', `filter=ge(updated_at,${instant})`],
      ...[`filter=eq(id,${cartId})`, 'filter=in(id,cart-7,cart-8)', 'filter=like(name,cart 123*)'],
      ...['filter=ilike(name,*77*)', `filter=contains(account_ids,${accountId})`],
      ...[`filter=contains(account_ids,${busyAccountId})`],
    ]),
    ...withQueries('carts of a customer', carts as never, narrowed, of('customers', customerId)),
    ...withQueries('carts of an account', carts as never, narrowed, of('accounts', busyAccountId)),
    ...withQueries('carts with owners', carts as never, narrowed, {
      where: () => `(customers <> '[]' OR accounts <> '[]')`,
    }),
  ]
}

function orderLists({ customerId, busyAccountId }: SeededCarts): readonly List[] {
  const own = (column: string, id: string) => ({
    where: (bind: (value: unknown) => string) => `${column} = ${bind(id)}::uuid`,
  })
  const sorted = ['id', 'created_at', '-payment', 'shipping', 'status', '-with_tax']
  return [
    ...withQueries('orders', orders as never, [
      ...['', late, ...sorted.map((by) => `sort=${by}`), ...sorted.map((by) => `sort=${by}&${late}`)],
      ...['eq(status,incomplete)', 'eq(status,complete)', 'eq(payment,unpaid)', 'eq(payment,paid)'].map(
        filtered,
      ),
      ...['eq(shipping,fulfilled)', 'eq(currency,USD)', 'eq(currency,EUR)', 'eq(with_tax,4711)'].map(
        filtered,
      ),
      ...['gt(with_tax,4711)', 'gt(with_tax,199900)', 'le(without_tax,100)', 'eq(name,Person 4711)'].map(
        filtered,
      ),
      ...['like(name,Person 12*)', 'like(name,*4711)', 'eq(email,person-4711@bench.example)'].map(filtered),
      ...['like(email,person-47*)', 'eq(contact.name,Contact 4711)', 'like(contact.name,Contact 47*)'].map(
        filtered,
      ),
      ...['eq(contact.email,contact-4711@bench.example)', `eq(customer_id,${customerId})`].map(filtered),
      ...[`eq(account_id,${busyAccountId})`, `eq(account_member_id,${busyAccountId})`].map(filtered),
      ...['eq(order_number,R-4711)', 'like(order_number,R-47*)', 'eq(external_ref,ext-4711)'].map(filtered),
      ...['eq(shipping_postcode,P4711)', 'like(billing_postcode,B47*)', 'eq(product_sku,sku-7)'].map(
        filtered,
      ),
      filtered('eq(product_id,26f0e7b1-0e0e-4b8b-8e2b-0d7a5a0f4a00)'),
      filtered(`ge(updated_at,${instant})`),
      filtered(`ge(created_at,${instant})`),
      filtered(`eq(status,complete):ge(created_at,${instant})`),
      filtered('eq(status,complete):eq(product_sku,sku-0)'),
    ]),
    ...withQueries(
      'orders of a customer',
      orders as never,
      ['', filtered('eq(status,complete)')],
      own('customer_id', customerId),
    ),
    ...withQueries(
      'orders of an account',
      orders as never,
      ['', filtered('eq(status,complete)')],
      own('account_id', busyAccountId),
    ),
  ]
}

function promotionLists(): readonly List[] {
  const common = ['', 'sort=-created_at', 'filter=eq(name,Spring)', 'filter=like(name,Spr*)']
  return [
    ...withQueries('promotions', promotions as never, [
      ...common,
      ...['eq(promotion_type,fixed_discount)', 'eq(promo_status,running)', 'eq(promo_skus_prod_ids,a)'].map(
        filtered,
      ),
      ...['gt(promo_start_date,2026-01-01)', 'eq(code_used,2)', 'gt(code_used,0)', 'eq(code_used,10000)'].map(
        filtered,
      ),
    ]),
    ...withQueries('rule promotions', rulePromotions as never, [
      ...common,
      ...['eq(enabled,true)', 'gt(start,2026-01-01)', 'eq(rule_set.rules.strategy,cart_total)'].map(filtered),
    ]),
  ]
}

function codeLists(
  { promotionId, rulePromotionId, storeId }: SeededCarts,
  kind: 'standard' | 'rule',
): readonly List[] {
  const scope = [kind === 'standard' ? promotionId : rulePromotionId]
  const { codes, usages } = kinds[kind]
  const nobody = storeId
  return [
    ...withQueries(
      `${kind} codes`,
      codes,
      [
        ...['', late, 'sort=code', 'sort=-code&page[offset]=10000', filtered('eq(code,code-4711)')],
        ...[
          filtered('gt(code,code-99)'),
          filtered(`ge(created_at,${instant})`),
          filtered(`gt(id,${nobody})`),
        ],
      ],
      { scope },
    ),
    ...withQueries(
      `${kind} usages`,
      usages,
      [
        ...['', late, ...['code', 'customer_email', '-order_id', 'used_on'].map((by) => `sort=${by}`)],
        ...[
          'sort=customer_id&page[offset]=10000',
          filtered('eq(code,code-4711)'),
          filtered('eq(code,code-10)'),
        ],
        ...[
          filtered(`gt(used_on,${instant})`),
          filtered(`ge(updated_at,${instant})`),
          filtered(`gt(id,${nobody})`),
        ],
      ],
      { scope },
    ),
  ]
}

const server = await startOwnServer()
const client = new pg.Client(server.databaseUrl)
await client.connect()
try {
  const seeded = await seedCarts(server, rows)
  process.stdout.write('| list | found | ms | rows read | blocks | by |\n|---|--:|--:|--:|--:|---|\n')
  await client.query('SET plan_cache_mode = force_generic_plan')
  for (const list of listsOf(seeded)) {
    if (only === undefined || list.name.includes(only)) await show(list, seeded.storeId)
  }
} finally {
  await client.end()
  await server.stop()
}
