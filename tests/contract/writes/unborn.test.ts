import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flatten } from '../../../server/kernel/shape/envelope.ts'
import { leadsToUnborn, operations, Samples, specimens } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { bodyWith, type Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** The laws of resources whose objects are `unborn` before their first write. */

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

/** Some defaults are times that depend on the time of the request. */
const withoutTimes = (body: unknown) => JSON.stringify(body).replaceAll(/"20[^"]+Z"/g, '"then"')

const etagOf = ({ headers }: Reply) => headers.get('etag') as string
const firstPartOf = (etag: string) => etag.replace(/-.*/, '')

describe.each(specimens.filter(({ resource }) => resource.unborn))('$name', (specimen) => {
  const { resource } = specimen
  const { path: collection } = resource
  const fresh = () => `${collection}/${randomUUID()}`
  const keyIn = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const emptyUpdate = bodyWith(specimen, 'update', { type: resource.type })
  const below = specimens.filter(
    ({ resource: { parent }, operations: { create } }) => parent?.() === resource && create,
  )
  const relationships = operations.filter(
    ({ of }) => of.is === 'relationship' && of.relationship.owner() === resource,
  )

  const listed = async (path: string) => {
    const filter = encodeURIComponent(`eq(id,${keyIn(path)})`)
    return (await world.admin.get(`${collection}?filter=${filter}`)).body.data.length
  }
  const events = async (path: string) => {
    const { rows } = await world.feed(
      `SELECT event FROM changes
       WHERE source = $1 AND id IN (SELECT id FROM changes WHERE doc->>'id' = $2) ORDER BY position`,
      [resource.table, keyIn(path)],
    )
    return rows.map(({ event }) => event)
  }
  const createBelow = async (child: Specimen, path: string) => {
    const at = child.resource.path.replace(/^.*\/:\w+/, path)
    return {
      at,
      reply: await world.admin.post(at, await samples.body(child, await samples.path(child.resource.path))),
    }
  }

  test('an unknown key reads as an object with defaults, and nothing is stored', async () => {
    const path = fresh()
    const first = await world.admin.get(path)
    expect([first.status, first.body.data.id]).toEqual([200, keyIn(path)])
    const other = fresh()
    const { body } = await world.admin.get(other)
    expect(withoutTimes(body).replaceAll(keyIn(other), keyIn(path)), 'of another key').toBe(
      withoutTimes(first.body),
    )
    const notModified = await world.admin.get(path, { 'if-none-match': etagOf(first) })
    expect([notModified.status, etagOf(notModified)]).toEqual([304, etagOf(first)])
    expect([await listed(path), await events(path)]).toEqual([0, []])
  })

  test('a name that cannot be a key is a 404', async () => {
    for (const name of ['%00', '%E2%82%AC', 'a%20b', '%2F', 'x'.repeat(256)]) {
      const replies = [
        await world.admin.get(`${collection}/${name}`),
        await world.admin.put(`${collection}/${name}`, emptyUpdate),
        await world.admin.delete(`${collection}/${name}`),
      ]
      expect([name, ...replies.map(({ status }) => status)]).toEqual([name, 404, 404, 404])
    }
  })

  test('an update creates the object with its defaults and the sent values, in one change', async () => {
    const path = fresh()
    const before = await world.admin.get(path)
    const values = flatten(resource.envelope, before.body.data)
    const stale = await world.admin.put(path, emptyUpdate, { 'if-match': '"stale"' })
    expect([stale.status, await listed(path)]).toEqual([412, 0])
    const { status, body, headers } = await world.admin.put(path, before.body, { 'if-match': etagOf(before) })
    expect([status, body.errors]).toEqual([200, undefined])
    const apart = { meta: undefined, links: undefined, created_at: undefined, updated_at: undefined }
    expect({ ...flatten(resource.envelope, body.data), ...apart }).toEqual({ ...values, ...apart })
    expect(firstPartOf(headers.get('etag') as string)).not.toBe(firstPartOf(etagOf(before)))
    expect([await listed(path), await events(path)]).toEqual([1, ['created']])
    const late = await world.admin.put(path, emptyUpdate, { 'if-match': etagOf(before) })
    expect(late.status, 'an update of the object as it was before its first write').toBe(412)
    const elsewhere = bodyWith(specimen, 'update', { type: resource.type, id: randomUUID() })
    expect((await world.admin.put(fresh(), elsewhere)).status, 'an update with another id').toBe(422)
  })

  test('one of twenty first updates of the same tag creates it', async () => {
    const path = fresh()
    const tag = etagOf(await world.admin.get(path))
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => world.admin.put(path, emptyUpdate, { 'if-match': tag })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)])
    expect([await listed(path), await events(path)]).toEqual([1, ['created']])
  })

  test('a delete always succeeds, and the object then reads as before its first write', async () => {
    const path = fresh()
    const before = await world.admin.get(path)
    expect((await world.admin.delete(path)).status, 'what was never written').toBe(204)
    expect((await world.admin.delete(path, { 'if-match': '"stale"' })).status).toBe(412)
    await world.admin.put(path, emptyUpdate)
    const replies = await Promise.all([1, 2, 3].map(() => world.admin.delete(path)))
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204])
    const after = await world.admin.get(path)
    expect([after.body, etagOf(after)]).toEqual([before.body, etagOf(before)])
    expect([await listed(path), await events(path)]).toEqual([0, ['created', 'deleted']])
  })

  test('a create with an existing key is refused, and concurrent first writes create one object', async () => {
    const path = fresh()
    const body = bodyWith(specimen, 'create', { type: resource.type, id: keyIn(path) })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 ? world.admin.post(collection, body) : world.admin.put(path, emptyUpdate),
      ),
    )
    const codes = replies.map(({ status }) => status)
    expect(
      codes.filter((_, i) => i % 2 === 0),
      'updates',
    ).toEqual(Array(10).fill(200))
    const created = codes.filter((code) => code === 201).length
    expect(
      codes.filter((code) => code >= 400),
      'creates',
    ).toEqual(Array(10 - created).fill(409))
    expect(await listed(path)).toBe(1)
    expect((await events(path)).filter((event) => event === 'created')).toEqual(['created'])
  })

  test('the lists below it are empty, and twenty first creates below it lose nothing', async () => {
    for (const child of below) {
      const path = fresh()
      const at = child.resource.path.replace(/^.*\/:\w+/, path)
      const empty = await world.admin.get(at)
      expect([empty.status, empty.body.data, empty.body.meta.results.total]).toEqual([200, [], 0])
      expect((await world.admin.get(`${at}/${randomUUID()}`)).status, 'what is not in the list').toBe(404)
      const replies = await Promise.all(Array.from({ length: 20 }, () => createBelow(child, path)))
      expect(replies.map(({ reply }) => reply.status)).toEqual(Array(20).fill(201))
      expect((await world.admin.get(`${at}?page[limit]=100`)).body.meta.results.total).toBe(20)
      expect([await listed(path), await events(path)]).toEqual([1, ['created']])
    }
  })

  test('a refused create below it creates nothing', async () => {
    for (const child of below) {
      const path = fresh()
      const at = child.resource.path.replace(/^.*\/:\w+/, path)
      expect((await world.admin.post(at, { data: { type: 'no-such-type' } })).status).toBeGreaterThanOrEqual(
        400,
      )
      expect([await listed(path), await events(path)]).toEqual([0, []])
    }
  })

  test.each(relationships)('$id works before the first write', async (operation) => {
    if (operation.of.is !== 'relationship') return
    const path = fresh()
    const at = operation.path.replace(/^.*\/:\w+/, path)
    const { body } = await samples.call(operation)
    const reply = await world.admin.send(operation.method, at, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect([reply.status, reply.body?.errors]).toEqual([operation.status, undefined])
    const { name, relationship } = operation.of
    const writes = name === 'add' || name === 'replace'
    expect(await listed(path), 'whether it is written').toBe(writes ? 1 : 0)
    if (!relationship.operations.list) return
    const links = (await world.admin.get(at)).body.data
    expect([links].flat().filter((link) => link !== null)).toHaveLength(writes ? 1 : 0)
  })
})

// Of all other addresses, `access.test.ts` says that they hide it.
describe.each(operations.filter(leadsToUnborn))('$id', (operation) => {
  test('an object of another store reads as unborn, and does not change', async () => {
    const { method } = operation
    const { path, body } = await samples.call(operation)
    const call = (at: string) =>
      world.other.send(method, at, { ...(body !== undefined && { body: JSON.stringify(body) }) })
    // Without what follows the last key of the path.
    const depth = operation.path.split('/').findLastIndex((segment) => segment.startsWith(':'))
    const object = path.split('/', depth + 1).join('/')
    const key = object.slice(object.lastIndexOf('/') + 1)
    const before = await world.admin.get(object)
    const reply = await call(path)
    const after = await world.admin.get(object)
    expect([after.body, etagOf(after)]).toEqual([before.body, etagOf(before)])
    if (method !== 'GET') return
    const unknown = await call(path.replace(key, 'no-such-key'))
    expect(reply.status).toBe(200)
    expect(JSON.stringify(reply.body)).toBe(JSON.stringify(unknown.body).replaceAll('no-such-key', key))
  })
})
