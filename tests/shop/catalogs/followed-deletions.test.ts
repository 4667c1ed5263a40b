import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeNode } from '../../builders/assortment/hierarchies.ts'
import { newProduct } from '../../builders/assortment/products.ts'
import { makeCatalog, makeHierarchy, makePricebook, makeRule } from '../../builders/shop/catalogs.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Deletions after which triggers change the objects that name what was deleted. */

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

interface Row {
  readonly version: number
  readonly updated_at: Date
  readonly doc: unknown
  readonly hidden: unknown
}

/** An object to delete, and the rows that name it: how each changes. */
interface Case {
  readonly path: string
  readonly rows: readonly (readonly [table: string, id: string, change: (row: Row, at: Date) => object])[]
}

/** A copy in which one member is another value, or is missing. */
function withMember(value: unknown, [first = '', ...rest]: readonly string[], member?: unknown): unknown {
  const copy = { ...(value as Record<string, unknown>) }
  if (rest.length) copy[first] = withMember(copy[first], rest, member)
  else if (member === undefined) delete copy[first]
  else copy[first] = member
  return copy
}

const doc = (name: string, member?: unknown) => (row: Row) => ({
  doc: withMember(row.doc, ['attributes', name], member),
})

async function deletedFile(): Promise<Case> {
  const id = randomUUID()
  await world.sql(
    `INSERT INTO files (store_id, id, created_at, updated_at, doc, hidden) VALUES ($1, $2, now(), now(), '{"file_size": 1}', '{}')`,
    [world.storeId, id],
  )
  const product = (await newProduct(world.admin)).id
  const path = `/pcm/products/${product}/relationships/main_image`
  expect((await world.admin.post(path, { data: { type: 'file', id } })).status).toBe(204)
  const change = (row: Row) => ({ hidden: withMember(row.hidden, ['relationships', 'main_image']) })
  return { path: `/v2/files/${id}`, rows: [['products', product, change]] }
}

async function deletedProduct(): Promise<Case> {
  const { admin } = world
  const hierarchy = await makeHierarchy(admin)
  const node = (await makeNode(admin, hierarchy)).id
  const at = `/pcm/hierarchies/${hierarchy}/nodes/${node}`
  const [stays, goes] = [(await newProduct(admin)).id, (await newProduct(admin)).id]
  const links = { data: [stays, goes].map((id) => ({ type: 'product', id })) }
  expect((await admin.post(`${at}/relationships/products`, links)).status).toBe(201)
  const attributes = { curated_products: [goes, stays] }
  expect((await admin.put(at, { data: { type: 'node', id: node, attributes } })).status).toBe(200)
  const change = (row: Row, at: Date) => ({
    ...doc('curated_products', [stays])(row),
    hidden: withMember(row.hidden, ['changed_at'], at.getTime()),
  })
  return { path: `/pcm/products/${goes}`, rows: [['nodes', node, change]] }
}

async function deletedHierarchy(): Promise<Case> {
  const [stays, goes] = [await makeHierarchy(world.admin), await makeHierarchy(world.admin)]
  const catalog = await makeCatalog(world.admin, { hierarchy_ids: [goes, stays] })
  return {
    path: `/pcm/hierarchies/${goes}`,
    rows: [['catalogs', catalog, doc('hierarchy_ids', [stays])]],
  }
}

async function deletedPricebook(): Promise<Case> {
  const { admin } = world
  const [stays, goes] = [await makePricebook(admin), await makePricebook(admin)]
  const both = { pricebook_ids: [goes, stays].map((id, i) => ({ id, priority: i + 1 })) }
  const left = [{ id: stays, priority: 2 }]
  const named = await makeCatalog(admin, { pricebook_id: goes })
  const listed = await makeCatalog(admin, both)
  const rule = await makeRule(admin, listed, both)
  const only = await makeRule(admin, named, { pricebook_ids: [{ id: goes, priority: 1 }] })
  const waiting = await makeRule(admin, listed, { pricebook_ids: left })
  await world.sql(
    `UPDATE catalog_rules SET hidden = json_build_object('pending', json_build_object('in_effect', $2::json, 'more', 1))
     WHERE id = $1`,
    [waiting, JSON.stringify({ name: 'In effect', ...both })],
  )
  return {
    path: `/pcm/pricebooks/${goes}`,
    rows: [
      ['catalogs', named, doc('pricebook_id')],
      ['catalogs', listed, doc('pricebook_ids', left)],
      ['catalog_rules', rule, doc('pricebook_ids', left)],
      ['catalog_rules', only, doc('pricebook_ids')],
      [
        'catalog_rules',
        waiting,
        (row) => ({ hidden: withMember(row.hidden, ['pending', 'in_effect', 'pricebook_ids'], left) }),
      ],
    ],
  }
}

const row = async (table: string, id: string): Promise<Row> => {
  const text = `SELECT version, updated_at, doc, hidden FROM ${table} WHERE store_id = $1 AND id = $2`
  return (await world.sql(text, [world.storeId, id])).rows[0]
}

test.each([
  ['file', deletedFile],
  ['product', deletedProduct],
  ['hierarchy', deletedHierarchy],
  ['price book', deletedPricebook],
] as const)('deleting a %s writes a new version of every object that names it', async (_what, prepare) => {
  const { path, rows } = await prepare()
  const before = await Promise.all(rows.map(([table, id]) => row(table, id)))
  const { status, headers } = await world.admin.delete(path)
  expect(status).toBe(204)
  const fed = await world.feed(
    `SELECT id, event, actor, at, doc, source FROM changes WHERE store_id = $1 AND request_id = $2 ORDER BY position`,
    [world.storeId, headers.get('x-request-id')],
  )
  const deletion = fed.rows.find(({ id, event }) => event === 'deleted' && path.endsWith(id))
  expect(deletion.actor).toMatch(/^[0-9a-f-]{36}$/)
  for (const [i, [table, id, change]] of rows.entries()) {
    const was = before[i] as Row
    const now = await row(table, id)
    expect(now).toEqual({
      ...was,
      version: was.version + 1,
      updated_at: deletion.at,
      ...change(was, deletion.at),
    })
    expect(fed.rows.filter((one) => one.id === id)).toEqual([
      { id, event: 'updated', actor: deletion.actor, at: deletion.at, doc: now.doc, source: table },
    ])
  }
})
