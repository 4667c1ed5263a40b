import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newId } from '../server/kernel/ids.ts'
import { type CreatedObject, startOwnServer } from './own-server.ts'

/**
 * `node bench/many-products.ts [share rounds]`: measures requests and jobs that write very many rows, beside the
 * statement that writes the same rows in the same database, with its triggers and without them. It also measures the
 * slowest small request meanwhile. `share` is how much of it: 1 is 10,000 children and nodes, and 100,000 products.
 */
const [share = 1, rounds = 1] = process.argv.slice(2).map(Number)
const [children, nodes, attached] = [10_000, 10_000, 100_000].map((n) => Math.round(n * share)) as [
  number,
  number,
  number,
]
const options = Math.round(Math.sqrt(children))

const server = await startOwnServer()
const { call } = server
const client = new pg.Client(server.databaseUrl)
await client.connect()
const storeId = await only('SELECT id FROM stores')
try {
  process.stdout.write('| | Sutler, ms | its SQL, ms | no triggers, ms | of its SQL | slowest GET, ms |\n')
  process.stdout.write('|---|--:|--:|--:|--:|--:|\n')
  for (let round = 0; round < rounds; round++) {
    await buildAndDelete(round)
    await attachAndDetach(round)
    await renameAndDelete(round)
  }
} finally {
  await client.end()
  await server.stop()
}

async function only(text: string): Promise<string> {
  return Object.values((await client.query(text)).rows[0])[0] as string
}

/** The SQL of an id that depends only on this text, so that it is the same in each run. */
function idOf(text: string): string {
  return `md5(${text})::uuid`
}

async function buildAndDelete(round: number): Promise<void> {
  const parent = await makeParent(round)
  const copies = [newId(), newId()] as const
  for (const copy of copies) {
    await client.query(`INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
      SELECT store_id, '${copy}', now(), now(),
        json_build_object('attributes', json_build_object('name', 'Copy', 'status', 'live', 'commodity_type', 'physical')),
        '{"product_type":"parent"}' FROM products WHERE id = '${parent}'`)
  }
  // The rows that the build has written, below another parent.
  const copied = (copy: string) => `INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
    SELECT store_id, ${idOf(`id::text || '${copy}'`)}, now(), now(),
      replace(doc::text, '"sku":"', '"sku":"${copy}')::json, replace(hidden::text, '${parent}', '${copy}')::json
    FROM products WHERE parent_id = '${parent}'`
  const gone = ([copy]: readonly [string]) => `DELETE FROM products WHERE id = '${copy}'`
  await measure(
    `${children} children built`,
    () => build(parent),
    copies.map((copy) => copied(copy)),
  )
  await measure(`a parent of ${children} deleted`, () => remove(`/pcm/products/${parent}`), [
    gone([copies[0]]),
    `DELETE FROM products WHERE id = '${copies[1]}' OR parent_id = '${copies[1]}'`,
  ])
}

async function makeParent(round: number): Promise<string> {
  const product = { name: 'Shirt', commodity_type: 'physical', sku: `shirt-${round}-`, status: 'live' }
  const text = { description: 'What it is in a few words. '.repeat(6), tags: ['new', 'summer'] }
  const groups = { admin_attributes: { bin: 'A1' }, shopper_attributes: { hue: 'red' } }
  const id = await make('/pcm/products', 'product', { ...product, ...text, ...groups })
  const data: object[] = []
  for (const name of ['Size', 'Colour']) {
    const variation = await make('/pcm/variations', 'product-variation', { name })
    data.push({ type: 'product-variation', id: variation })
    for (let i = 0; i < options; i++) {
      const path = `/pcm/variations/${variation}/options`
      const option = await make(path, 'product-variation-option', { name: `${name}${i}`, description: name })
      await make(`${path}/${option}/modifiers`, 'product-variation-modifier', {
        type: 'name_append',
        value: ` ${name}${i}`,
      })
    }
  }
  await send('PUT', `/pcm/products/${id}/relationships/variations`, data)
  return id
}

async function build(parent: string): Promise<void> {
  const { data } = await call<{ data: CreatedObject }>(
    'POST',
    `/pcm/products/${parent}/build`,
    undefined,
    201,
  )
  for (;;) {
    const { status } = (await call<Job>('GET', `/pcm/jobs/${data.id}`)).data.attributes
    if (status === 'success') return
    if (status === 'failed') throw new Error(JSON.stringify(await call('GET', `/pcm/jobs/${data.id}/errors`)))
    await sleep(20)
  }
}

interface Job {
  readonly data: { readonly attributes: { readonly status: string } }
}

async function attachAndDetach(round: number): Promise<void> {
  if (round === 0) await makeProducts()
  const hierarchy = await make('/pcm/hierarchies', 'hierarchy', { name: `Tree of products ${round}` })
  const places: string[] = []
  for (const name of ['one', 'two', 'three']) {
    places.push(await make(`/pcm/hierarchies/${hierarchy}/nodes`, 'node', { name }))
  }
  const [node, ...copies] = places
  const data = { filter: 'eq(mpn,many)', node_ids: [node] }
  const condition = `products WHERE store_id = '${storeId}' AND mpn = 'many'`
  await measure(
    `${attached} products into a node`,
    () => send('POST', '/pcm/products/attach_nodes', data),
    copies.map(
      (
        copy,
      ) => `INSERT INTO node_products (store_id, node_id, id, created_at, updated_at, doc, product_updated_at)
        SELECT store_id, '${copy}', id, now(), now(), '{}', updated_at
        FROM (SELECT * FROM ${condition} ORDER BY id FOR SHARE) product`,
    ),
  )
  await measure(
    `${attached} products off a node`,
    () => send('POST', '/pcm/products/detach_nodes', data),
    copies.map(
      (copy) => `DELETE FROM node_products WHERE store_id = '${storeId}' AND node_id = '${copy}'
      AND id IN (SELECT id FROM ${condition})`,
    ),
  )
}

/** Inserts products without running their triggers, whose cost is measured elsewhere. */
async function makeProducts(): Promise<void> {
  await client.query('SET session_replication_role = replica')
  await client.query(`INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
    SELECT '${storeId}', ${idOf(`'many' || i`)}, now(), now(), json_build_object('attributes', json_build_object(
      'name', 'Product ' || i, 'sku', 'many-' || i, 'mpn', 'many', 'status', 'live', 'commodity_type', 'physical')),
      '{"product_type":"standard"}' FROM generate_series(1, ${attached}) i`)
  await client.query('SET session_replication_role = DEFAULT')
  await client.query('VACUUM ANALYZE products')
}

async function renameAndDelete(round: number): Promise<void> {
  const trees: string[] = []
  for (const name of ['one', 'two', 'three']) trees.push(await makeTree(`Tree ${name} ${round}`))
  const [tree, ...copies] = trees
  const data = { type: 'hierarchy', id: tree, attributes: { name: `Renamed ${round}` } }
  await measure(
    `renamed above ${nodes} nodes`,
    () => send('PUT', `/pcm/hierarchies/${tree}`, data),
    copies.map(
      (copy) => `UPDATE nodes SET version = version + 1, updated_at = now(),
        hidden = jsonb_set(hidden::jsonb, '{breadcrumbs,0,name}', '"Renamed"')::json
      WHERE store_id = '${storeId}' AND (hierarchy_id = '${copy}' OR id = '${copy}')`,
    ),
  )
  const gone = copies.map(
    (copy, i) => `DELETE FROM nodes WHERE store_id = '${storeId}' AND
    (${i ? `hierarchy_id = '${copy}' OR` : ''} id = '${copy}')`,
  )
  await measure(`a tree of ${nodes} nodes deleted`, () => remove(`/pcm/hierarchies/${tree}`), gone)
}

/** Each node has ten below it. */
async function makeTree(name: string): Promise<string> {
  const id = await make('/pcm/hierarchies', 'hierarchy', { name })
  const at = (i: string) => `CASE ${i} WHEN 0 THEN '${id}'::uuid ELSE ${idOf(`'${id}' || ${i}`)} END`
  await client.query('SET session_replication_role = replica')
  await client.query(`INSERT INTO nodes (store_id, hierarchy_id, id, created_at, updated_at, doc, hidden)
    WITH RECURSIVE made AS (
      SELECT 0 AS i, (SELECT hidden::jsonb->'breadcrumbs' FROM nodes WHERE id = '${id}') AS breadcrumbs
      UNION ALL
      SELECT c.i, made.breadcrumbs || jsonb_build_object('id', ${at('c.i')}, 'name', 'Node ' || c.i)
      FROM made, generate_series(made.i * 10 + 1, least(made.i * 10 + 10, ${nodes})) c (i)
    )
    SELECT '${storeId}', '${id}', ${at('i')}, now(), now(), json_build_object(
        'attributes', json_build_object('name', 'Node ' || i),
        'relationships', json_build_object('parent', json_build_object('data',
          json_build_object('type', 'node', 'id', ${at('((i - 1) / 10)')})))),
      json_build_object('breadcrumbs', breadcrumbs, 'changed_at', 0)
    FROM made WHERE i > 0`)
  await client.query(`UPDATE nodes p SET has_children = true WHERE EXISTS (
    SELECT FROM nodes c WHERE c.store_id = p.store_id AND c.parent_id = p.id)`)
  await client.query('SET session_replication_role = DEFAULT')
  await client.query('ANALYZE nodes')
  return id
}

async function make(path: string, type: string, attributes: object): Promise<string> {
  return (await call<{ data: CreatedObject }>('POST', path, { type, attributes }, 201)).data.id
}

/** Ignores the response unless it is an error. */
async function send(method: string, path: string, data?: object): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const body = data && JSON.stringify({ data })
  const answer = await fetch(server.url + path, { method, headers, ...(body && { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
}

function remove(path: string): Promise<void> {
  return send('DELETE', path)
}

/** What the server does, then the two statements: with triggers, and without. */
async function measure(name: string, run: () => Promise<void>, statements: readonly string[]): Promise<void> {
  const [withTriggers, without] = statements as readonly [string, string]
  await settle()
  const [served, slowestMs] = await besideGets(() => timed(run))
  await settle()
  const bare = await timed(() => client.query(withTriggers))
  await settle()
  await client.query('SET session_replication_role = replica')
  const untracked = await timed(() => client.query(without))
  await client.query('SET session_replication_role = DEFAULT')
  const columns = [served, bare, untracked].map((ms) => Math.round(ms).toLocaleString('en'))
  const row = [name, ...columns, (served / bare).toFixed(2), Math.round(slowestMs).toLocaleString('en')]
  process.stdout.write(`| ${row.join(' | ')} |\n`)
}

/** Waits until all writes are in the feed and on the disk, so that no measurement pays for another one. */
async function settle(): Promise<void> {
  while ((await only('SELECT count(*) FROM fresh_changes')) !== '0') await sleep(20)
  await client.query('CHECKPOINT')
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

/** The time of the slowest of many small requests, sent one after the other meanwhile. */
async function besideGets<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  let [done, slowestMs] = [false, 0]
  const asking = (async () => {
    while (!done) {
      slowestMs = Math.max(slowestMs, await timed(() => send('GET', '/v2/currencies?page[limit]=1')))
      await sleep(5)
    }
  })()
  const result = await run().finally(() => {
    done = true
  })
  await asking
  return [result, slowestMs]
}
