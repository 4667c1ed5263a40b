import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relationship } from '../../../server/kernel/declare/relationship.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import { findByName } from '../../../server/kernel/query/find.ts'
import { findOrCreate } from '../../../server/kernel/request/first-write.ts'
import { integer, text } from '../../../server/kernel/shape/fields.ts'
import { walks } from '../../../server/kernel/shape/model.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { paperCarts } from '../../workshop/paper-carts.ts'
import { paperLines } from '../../workshop/paper-lines.ts'

/** What the contract suite cannot see: requests to one server wait for each other before they take a connection. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const times = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)))
const addLine = (key: string) =>
  world.work.transaction(async (inside) => {
    const { id } = await findOrCreate(inside, paperCarts, key)
    return add(inside, paperLines, [id], { sku: 'pencil', quantity: 1 })
  })

test('twenty concurrent first writes, each on a connection, create one object and lose nothing', async () => {
  const key = randomUUID()
  const lines = await times(20, () => addLine(key))
  expect(new Set(lines.map(({ scope: [cart] }) => cart)).size).toBe(1)
  const { body } = await world.admin.get(`/v2/paper-carts/${key}`)
  expect(body.data.total_quantity).toBe(20)
  const { rows } = await world.feed(
    `SELECT event FROM changes WHERE source = 'paper_carts' AND doc->>'id' = $1`,
    [key],
  )
  expect(rows).toEqual([{ event: 'created' }])
})

test('concurrent first writes and deletes are all carried out', async () => {
  const path = `/v2/paper-carts/${randomUUID()}`
  const line = { data: { type: 'paper-line', sku: 'pencil', quantity: 1 } }
  const replies = await times(40, (i) => {
    if (i % 4 === 0) return world.admin.delete(path)
    if (i % 4 === 1) return world.admin.put(path, { data: { type: 'paper-cart' } })
    return i % 4 === 2 ? world.admin.post(`${path}/lines`, line) : world.admin.get(path)
  })
  expect(new Set(replies.map(({ status }, i) => `${i % 4} ${status}`))).toEqual(
    new Set(['0 204', '1 200', '2 201', '3 200']),
  )
  const key = path.slice(path.lastIndexOf('/') + 1)
  // Without the queue of the process.
  const outcomes = await times(40, async (i) => {
    if (i % 2) return Boolean(await addLine(key))
    return (await world.admin.delete(path)).status === 204
  })
  expect(outcomes).toEqual(Array(40).fill(true))
})

test('a read finds an object before its first write, and no object below it', async () => {
  const cart = await findByName(world.work, paperCarts, 'nowhere-yet')
  expect(cart.doc).toMatchObject({ id: 'nowhere-yet', name: 'Cart', total_quantity: 0 })
  const lines = await world.admin.get(`/v2/paper-carts/nowhere-yet/lines/${randomUUID()}`)
  expect([lines.status, lines.body.errors[0].detail]).toEqual([
    404,
    expect.stringContaining('paper line not found'),
  ])
})

const declared = {
  type: 'x',
  noun: ['x', 'xs'],
  about: 'X.',
  path: '/v2/xs',
  table: 'xs',
  fields: { id: text({ immutable: true }) },
  area: 'xs',
  envelope: { times: 'meta', digits: 3, fields: 'top', links: 'own', href: 'absolute' },
  key: { field: 'id' },
  unborn: true,
} as const

test('a contradictory declaration fails at once, with the reason', () => {
  expect(() => resource(declared)).not.toThrow()
  const { key: _, ...keyless } = declared
  expect(() => resource(keyless)).toThrow("x: `unborn` needs `key: { field: 'id' }`")
  expect(() => resource({ ...declared, path: '/v2/ys/:y_id/xs', parent: () => paperCarts })).toThrow(
    'x: `unborn` needs a path without parameters',
  )
  const id = text({ readOnly: true })
  expect(() => resource({ ...declared, fields: { id } })).toThrow('x: `unborn` needs a field `id`')
  expect(() => resource({ ...declared, filter: walks })).toThrow('x: `unborn` needs a `column` or a `where`')
  expect(() =>
    resource({ ...declared, filter: { ...walks, id: { ops: ['eq'], column: 'x' } } }),
  ).not.toThrow()
  const n = integer({ required: true })
  expect(() => resource({ ...declared, fields: { ...declared.fields, n } })).toThrow(
    'x: `unborn` needs a default for its required field `n`',
  )
})

test('a relationship whose links no field of its owner stores fails at once, with the reason', () => {
  const links = relationship({
    name: 'x-things',
    about: 'The things of an X.',
    path: '/v2/xs/:id/relationships/things',
    owner: () => resource(declared),
    target: () => paperCarts,
    holds: 'many',
    storage: { member: 'things' },
    most: { n: 1, detail: String },
    area: 'xs',
    operations: { list: 200 },
  })
  const declare = () => module({ name: 'xs', about: 'Xs.', relationships: [links] })
  expect(declare).toThrow('x-things: its links are a member of `relationships`, so x needs a read-only field')
})
