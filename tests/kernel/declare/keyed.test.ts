import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { type Relationship, relationship } from '../../../server/kernel/declare/relationship.ts'
import { type Resource, resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import type { Envelope } from '../../../server/kernel/shape/envelope.ts'
import { field, flag, integer, text } from '../../../server/kernel/shape/fields.ts'
import { access } from '../../../server/people/permissions/access.ts'
import { openWorld, type World } from '../../support/world.ts'

const envelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
}
const columns = `version integer NOT NULL DEFAULT 0, created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json`

/** What clients call by a name of their own, with what belongs to it and what it is linked to. */
const sql = `
  CREATE TABLE baskets (
    store_id uuid NOT NULL, id uuid NOT NULL, ${columns},
    reference text COLLATE "C" GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,
    CONSTRAINT baskets_pkey PRIMARY KEY (store_id, id),
    CONSTRAINT baskets_reference_key UNIQUE (store_id, reference)
  );
  CREATE INDEX baskets_by_created_at ON baskets (store_id, created_at, id);
  CALL track('baskets', $$'basket'$$);
  CREATE TABLE lines (
    store_id uuid NOT NULL, basket_id uuid NOT NULL, id uuid NOT NULL, ${columns},
    CONSTRAINT lines_pkey PRIMARY KEY (store_id, id),
    CONSTRAINT lines_parent_fkey FOREIGN KEY (store_id, basket_id) REFERENCES baskets ON DELETE CASCADE
  );
  CREATE INDEX lines_by_created_at ON lines (store_id, basket_id, created_at, id);
  CALL track('lines', $$'line'$$, '{basket_id}');
  CREATE TABLE shelves (
    store_id uuid NOT NULL, id uuid NOT NULL, ${columns},
    slug text COLLATE "C" GENERATED ALWAYS AS (doc->>'slug') STORED NOT NULL,
    CONSTRAINT shelves_pkey PRIMARY KEY (store_id, id),
    CONSTRAINT shelves_slug_key UNIQUE (store_id, slug)
  );
  CREATE INDEX shelves_by_created_at ON shelves (store_id, created_at, id);
  CALL track('shelves', $$'shelf'$$);
  CREATE TABLE basket_shelves (
    store_id uuid NOT NULL, basket_id uuid NOT NULL, id uuid NOT NULL, ${columns},
    CONSTRAINT basket_shelves_pkey PRIMARY KEY (store_id, basket_id, id),
    CONSTRAINT basket_shelves_parent_fkey FOREIGN KEY (store_id, basket_id) REFERENCES baskets ON DELETE CASCADE,
    CONSTRAINT basket_shelves_target_fkey FOREIGN KEY (store_id, id) REFERENCES shelves ON DELETE CASCADE
  );`

const area = 'custom-apis'
const baskets: Resource = resource({
  type: 'basket',
  noun: ['basket', 'baskets'],
  about: 'A basket.',
  path: '/v2/baskets',
  table: 'baskets',
  fields: {
    id: text({ required: true, immutable: true, pattern: /^[\w~. -]{1,40}$/ }),
    open: flag({}),
    relationships: field({ type: 'object' }, { readOnly: true }),
  },
  key: { field: 'id', where: (name, bind) => `reference = ${bind(name)}` },
  area,
  envelope,
  constraints: { baskets_reference_key: { code: 'conflict', detail: 'taken', source: 'data.id' } },
})
const lines = resource({
  type: 'line',
  noun: ['line', 'lines'],
  about: 'A line of a basket.',
  path: '/v2/baskets/:basket_id/lines',
  table: 'lines',
  parent: () => baskets,
  fields: { n: integer({ required: true }) },
  most: { n: 3, detail: (n) => `At most ${n} lines.` },
  area,
  envelope,
})
const shelves: Resource = resource({
  type: 'shelf',
  noun: ['shelf', 'shelves'],
  about: 'A shelf.',
  path: '/v2/shelves',
  table: 'shelves',
  fields: { slug: text({ required: true, max: 40 }) },
  key: { field: 'slug' },
  area,
  envelope,
})
const links = (holds: 'one' | 'many', name: string, storage: Relationship['storage']): Relationship =>
  relationship({
    name,
    about: 'Where it is.',
    path: `/v2/baskets/:basket_id/relationships/${name}`,
    owner: () => baskets,
    target: () => shelves,
    holds,
    storage,
    most: { n: 5, detail: (n) => `At most ${n}.` },
    meta: { note: text({ max: 20 }) },
    area,
    operations: { list: 200, add: 201, replace: 204, remove: 204 },
  })
const many = links('many', 'shelves', { table: 'basket_shelves', ownerColumn: 'basket_id' })
const one = links('one', 'main-shelf', { member: 'main_shelf' })

let world: World
beforeAll(async () => {
  const tests = module({
    name: 'tests',
    about: 'Resources of the tests.',
    resources: [baskets, lines, shelves],
    relationships: [many, one],
  })
  world = await openWorld({ modules: [...app, tests], access, sql })
})
afterAll(() => world.close())

let counter = 0
async function make(collection: string, data: Record<string, unknown>) {
  const { status, body } = await world.admin.post(collection, { data })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}
const newBasket = async (id = `b-${counter++}`) => make('/v2/baskets', { type: 'basket', id })
const newShelf = async () => make('/v2/shelves', { type: 'shelf', slug: `s-${counter++}` })

test('a field named id replaces the id of the row in responses, links, addresses and refusals', async () => {
  const basket = await newBasket('Mine ~1. b')
  expect(basket).toMatchObject({ type: 'basket', id: 'Mine ~1. b' })
  expect(basket.links.self).toBe(`${world.url}/v2/baskets/Mine%20~1.%20b`)
  expect((await world.admin.get(basket.links.self)).body.data).toEqual(basket)
  expect((await world.admin.get('/v2/baskets')).body.data[0].id).toBe('Mine ~1. b')
  const { rows } = await world.sql(`SELECT id FROM baskets WHERE reference = 'Mine ~1. b'`)
  expect((await world.admin.get(`/v2/baskets/${rows[0].id}`)).status).toBe(404)
  expect((await world.admin.get('/v2/baskets/mine%20~1.%20b')).status).toBe(404)
  expect((await world.other.get(basket.links.self)).status).toBe(404)
  const again = await world.admin.post('/v2/baskets', { data: { type: 'basket', id: 'Mine ~1. b' } })
  expect([again.status, again.body.errors[0].source]).toEqual([409, 'data.id'])
  const changed = await world.admin.put(basket.links.self, { data: { type: 'basket', open: true } })
  expect([changed.status, changed.body.data.open]).toEqual([200, true])
  expect((await world.admin.delete(basket.links.self)).status).toBe(204)
})

test('a client may choose a UUID as id', async () => {
  const id = randomUUID().toUpperCase()
  await newBasket(id)
  expect((await world.admin.get(`/v2/baskets/${id}`)).body.data.id).toBe(id)
  expect((await world.admin.get(`/v2/baskets/${id.toLowerCase()}`)).status).toBe(404)
})

test('the objects below it are found by its key, and their links contain the key', async () => {
  const { id } = await newBasket('with lines')
  const path = `/v2/baskets/${encodeURIComponent(id)}/lines`
  const line = await make(path, { type: 'line', n: 1 })
  expect(line.links.self).toBe(`${world.url}${path}/${line.id}`)
  expect((await world.admin.get(line.links.self)).body.data).toEqual(line)
  const list = await world.admin.get(path)
  expect(list.body.data).toEqual([line])
  expect(list.body.meta.results.total).toBe(1)
  for (const nowhere of ['/v2/baskets/none/lines', `/v2/baskets/none/lines/${line.id}`]) {
    expect((await world.admin.get(nowhere)).status).toBe(404)
  }
  expect((await world.other.get(path)).status).toBe(404)
  await newBasket('another')
  expect((await world.admin.get(`/v2/baskets/another/lines/${line.id}`)).status).toBe(404)
})

test('a limit holds for concurrent creates', async () => {
  await newBasket('full')
  const post = () => world.admin.post('/v2/baskets/full/lines', { data: { type: 'line', n: 1 } })
  const replies = await Promise.all(Array.from({ length: 12 }, post))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(9).fill(422)])
  expect(replies.find(({ status }) => status === 422)?.body.errors[0].detail).toBe('At most 3 lines.')
  expect((await world.admin.get('/v2/baskets/full/lines')).body.meta.results.total).toBe(3)
})

test('a key beside the id: both are addresses, and links contain the key', async () => {
  const shelf = await newShelf()
  expect(shelf.links.self).toBe(`${world.url}/v2/shelves/${shelf.slug}`)
  for (const name of [shelf.slug, shelf.id, shelf.id.toUpperCase()]) {
    expect((await world.admin.get(`/v2/shelves/${name}`)).body.data).toEqual(shelf)
  }
})

const linkTo = ({ id }: { id: string }, note?: string) => ({
  type: 'shelf',
  id,
  ...(note && { meta: { note } }),
})

test('links in rows are added, replaced, removed and paged, each with a new version of the owner', async () => {
  const [a, b, c] = [await newShelf(), await newShelf(), await newShelf()]
  const { id } = await newBasket('linked')
  const path = `/v2/baskets/${id}/relationships/shelves`
  const etag = async () => (await world.admin.get(`/v2/baskets/${id}`)).headers.get('etag')
  const tags = [await etag()]
  const added = await world.admin.post(path, { data: [linkTo(a, 'first'), linkTo(b), linkTo(a)] })
  expect([added.status, added.body.data]).toEqual([201, [linkTo(a), linkTo(b)]])
  tags.push(await etag())
  // Nothing is written when nothing changes.
  expect((await world.admin.post(path, { data: [linkTo(b)] })).status).toBe(201)
  expect(await etag()).toBe(tags[1])
  expect((await world.admin.put(path, { data: [linkTo(c, 'kept'), linkTo(b)] })).status).toBe(204)
  tags.push(await etag())
  const page = await world.admin.get(`${path}?page[limit]=1`)
  expect(page.body.meta.results.total).toBe(2)
  const next = await world.admin.get(page.body.links.next)
  expect([...page.body.data, ...next.body.data].sort((x, y) => x.id.localeCompare(y.id))).toEqual([
    linkTo(b),
    linkTo(c, 'kept'),
  ])
  expect(
    (await world.admin.send('DELETE', path, { body: JSON.stringify({ data: [linkTo(b)] }) })).status,
  ).toBe(204)
  tags.push(await etag())
  expect((await world.admin.get(path)).body.data).toEqual([linkTo(c, 'kept')])
  expect(new Set(tags).size).toBe(4)
  expect((await world.admin.delete(`/v2/shelves/${c.id}`)).status).toBe(204)
  expect((await world.admin.get(path)).body.data).toEqual([])
})

test('one link is set, replaced and cleared', async () => {
  const [a, b] = [await newShelf(), await newShelf()]
  const { id } = await newBasket('main')
  const path = `/v2/baskets/${id}/relationships/main-shelf`
  expect((await world.admin.get(path)).body.data).toBeNull()
  expect((await world.admin.post(path, { data: linkTo(a, 'here') })).body.data).toEqual(linkTo(a, 'here'))
  expect((await world.admin.put(path, { data: linkTo(b) })).status).toBe(204)
  expect((await world.admin.get(path)).body.data).toEqual(linkTo(b))
  expect((await world.admin.get(`/v2/baskets/${id}`)).body.data.relationships.main_shelf.data).toEqual(
    linkTo(b),
  )
  expect((await world.admin.send('DELETE', path)).status).toBe(204)
  expect((await world.admin.get(path)).body.data).toBeNull()
  await world.admin.post(path, { data: linkTo(a) })
  expect((await world.admin.put(path, { data: null })).status).toBe(204)
  expect((await world.admin.get(path)).body.data).toBeNull()
})

test('malformed links, unknown targets and too many links are refused', async () => {
  const shelf = await newShelf()
  const { id } = await newBasket('refusing')
  const path = `/v2/baskets/${id}/relationships/shelves`
  const lots = await Promise.all(Array.from({ length: 6 }, newShelf))
  const cases: [data: unknown, status: number, source: string][] = [
    [undefined, 400, 'data'],
    [linkTo(shelf), 400, 'data'],
    [[{ type: 'basket', id: shelf.id }], 400, 'data.0.type'],
    [[{ ...linkTo(shelf), meta: { note: 7 } }], 400, 'data.0.meta.note'],
    [[linkTo({ id: randomUUID() })], 404, 'data.0.id'],
    [lots.slice(0, 6).map((one) => linkTo(one)), 400, 'data'],
  ]
  for (const [data, status, source] of cases) {
    const reply = await world.admin.post(path, { data })
    expect([data, reply.status, reply.body.errors?.[0].source]).toEqual([data, status, source])
  }
  await world.admin.post(path, { data: lots.slice(0, 4).map((one) => linkTo(one)) })
  const more = await world.admin.post(path, { data: lots.slice(4).map((one) => linkTo(one)) })
  expect([more.status, more.body.errors[0].detail]).toEqual([422, 'At most 5.'])
})

test('concurrent links of one owner are all kept', async () => {
  const { id } = await newBasket('busy')
  const path = `/v2/baskets/${id}/relationships/shelves`
  const some = await Promise.all(Array.from({ length: 5 }, newShelf))
  const replies = await Promise.all(some.map((one) => world.admin.post(path, { data: [linkTo(one)] })))
  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(201))
  expect((await world.admin.get(path)).body.meta.results.total).toBe(5)
})
