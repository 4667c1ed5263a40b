import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flatten } from '../../../server/kernel/shape/envelope.ts'
import { isShown } from '../../../server/kernel/shape/fields.ts'
import { Samples, sampleFrom, specimensWith } from '../../builders/samples.ts'
import type { Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { shownId } from '../shown-ids.ts'

let world: World
let samples: Samples
let actor: string
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
  const { rows } = await world.sql('SELECT id FROM application_keys WHERE store_id = $1', [world.storeId])
  actor = rows[0].id
})
afterAll(() => world.close())

/** The changes of one object, oldest first. An object of another table may have the same id. */
async function changesOf(id: string, table?: string) {
  const { rows } = await world.feed('SELECT * FROM changes WHERE id = $1 ORDER BY position', [id])
  return table === undefined ? rows : rows.filter(({ source }) => source === table)
}

const hiddenOf = ({ resource }: Specimen) =>
  Object.entries(resource.fields).filter(([, { options }]) => !isShown(options))

describe.each(specimensWith('create', 'get'))('$name', (specimen) => {
  const { operations, resource } = specimen

  test('has one change in the feed for each write, with its author and without secrets', async () => {
    const collection = await samples.path(resource.path)
    const create = await world.admin.post(collection, await samples.body(specimen, collection, true))
    expect(create.status, JSON.stringify(create.body)).toBe(201)
    const { type } = create.body.data
    let { path } = sampleFrom(collection, resource, create.body)
    const { rows } = await world.sql(
      `SELECT r.id FROM ${resource.table} r WHERE ${shownId(resource, 'r')} = $1`,
      [create.body.data.id],
    )
    const { id } = rows[0]
    let count = 0
    const expectOne = async (event: string, requestId: string | null) => {
      const fresh = (await changesOf(id, resource.table)).slice(count)
      count += fresh.length
      expect(
        fresh.map((change) => change.event),
        'the changes of the write',
      ).toEqual([event])
      expect(fresh[0]).toMatchObject({ store_id: world.storeId, type, actor, request_id: requestId })
      // `track` and the resource agree.
      const { table, personal } = resource
      expect(fresh[0]).toMatchObject({ source: table, personal: personal !== undefined })
      return fresh[0].doc
    }
    const created = await expectOne('created', create.headers.get('x-request-id'))
    const shown = flatten(resource.envelope, created)
    for (const [name] of hiddenOf(specimen)) expect(Object.keys(shown)).not.toContain(name)

    if (operations.update) {
      const changed = await world.admin.put(path, samples.changes(specimen, create.body))
      expect(changed.status, JSON.stringify(changed.body)).toBe(200)
      // Some have nothing that a made-up update could change.
      const isNew = changed.headers.get('etag') !== create.headers.get('etag')
      if (isNew) await expectOne('updated', changed.headers.get('x-request-id'))
      path = sampleFrom(collection, resource, changed.body).path
      const refused = await world.admin.put(path, changed.body, { 'if-match': '"stale"' })
      expect(refused.status, 'of a write with a stale If-Match').toBe(412)
      expect((await changesOf(id, resource.table)).slice(count), 'the changes that it left').toEqual([])
    }
    if (operations.delete) {
      const gone = await world.admin.delete(path)
      expect(gone.status, JSON.stringify(gone.body)).toBe(operations.delete.status)
      expect(await expectOne('deleted', gone.headers.get('x-request-id')), 'the tombstone').toBeNull()
    }
  })

  test('has no change for a refused write', async () => {
    const collection = await samples.path(resource.path)
    const count = 'SELECT count(*)::int AS n FROM changes WHERE store_id = $1'
    const { rows: before } = await world.feed(count, [world.storeId])
    await world.admin.post(collection, { data: { type: 'no_such_type' } })
    await world.nobody.post(collection, {})
    const { rows: after } = await world.feed(count, [world.storeId])
    expect(after, 'how many changes there are').toEqual(before)
  })
})

/** Resources with a create and a delete, and their children with a create. */
const families = specimensWith('create', 'delete').flatMap((parent) => {
  const { resource } = parent
  const children = specimensWith('create').filter(({ resource: child }) => child.parent?.() === resource)
  return children.length ? [{ name: parent.name, parent, children }] : []
})

test('there are parents with children', () => {
  expect(families.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gadget', 'account', 'custom-api']),
  )
})

describe.each(families)('$name', ({ parent, children }) => {
  test('is deleted with everything below it, and the feed has the children first', async () => {
    const above = await samples.make(parent)
    const below = new Map<string, string>()
    for (const child of children) {
      const list = child.resource.path.slice(child.resource.path.lastIndexOf('/'))
      const { path } = await samples.make(child, above.path + list)
      below.set(path, child.resource.table)
    }
    const { status, body } = await world.admin.delete(above.path)
    expect([status, body]).toEqual([204, undefined])
    for (const path of below.keys()) expect((await world.admin.get(path)).status, path).toBe(404)
    const { rows } = await world.feed(
      `SELECT source FROM changes WHERE store_id = $1 AND event = 'deleted'
       ORDER BY position DESC LIMIT ${below.size + 1}`,
      [world.storeId],
    )
    const advice = 'whose tombstones are last: track a table after its parent’s'
    expect(rows[0].source, advice).toBe(parent.resource.table)
    expect(rows.map(({ source }) => source).sort(), advice).toEqual(
      [parent.resource.table, ...below.values()].sort(),
    )
  })
})
