import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writable } from '../../../server/kernel/body/input.ts'
import { operations, Samples } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { otherValue } from '../../support/sample-values.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const updates = operations.flatMap((operation) =>
  operation.of.is === 'singleton' && operation.of.name === 'update'
    ? [{ operation, singleton: operation.of.singleton }]
    : [],
)

const problem = ({ status, body }: Reply) => [status, body?.errors?.[0]?.code]
const etagOf = ({ headers }: Reply) => headers.get('etag') as string

describe.each(updates)('$singleton.name', ({ operation, singleton }) => {
  const { path, type } = singleton
  const deletes = singleton.operations.includes('delete')
  const put = (ifMatch?: string, values: object = {}) =>
    world.admin.put(path, { data: { type, ...values } }, ifMatch === undefined ? {} : { 'if-match': ifMatch })
  /** An update that changes a value. */
  const change = async (ifMatch?: string) => put(ifMatch, await others())
  const others = async () => {
    const { data } = (await world.admin.get(path)).body
    const [[name, field] = []] = writable(singleton.fields)
    if (!name || !field) throw new Error(`${path} has no field that a request can set`)
    return { [name]: otherValue(name, field, data[name]) }
  }

  test('has an entity tag, and answers 304 to it', async () => {
    const first = await world.admin.get(path)
    const etag = etagOf(first)
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const tag of [etag, etag.slice(2), '*', `"x", ${etag}`]) {
      const reply = await world.admin.get(path, { 'if-none-match': tag })
      expect([tag, reply.status, reply.body, etagOf(reply)]).toEqual([tag, 304, undefined, etag])
    }
    expect((await world.admin.get(path, { 'if-none-match': '"x"' })).status, 'of another tag').toBe(200)
  })

  test('accepts its own response, and keeps values that are not sent', async () => {
    const changed = await world.admin.put(path, (await samples.call(operation)).body)
    expect([changed.status, changed.body.errors], 'an update with all its fields').toEqual([200, undefined])
    const { body: before } = await world.admin.get(path)
    expect(before, 'a read after the update').toEqual(changed.body)
    for (const [sent, what] of [
      [before, 'all that it gave'],
      [{ data: { type } }, 'nothing'],
    ] as const) {
      const { status, body } = await world.admin.put(path, sent)
      expect([status, body], `an update with ${what}`).toEqual([200, before])
    }
  })

  test('changes only the version that If-Match names', async () => {
    const stale = etagOf(await change())
    const current = etagOf(await change(stale))
    expect(current, 'the entity tag after an update').not.toBe(stale)
    expect(etagOf(await world.admin.get(path)), 'the entity tag of a read').toBe(current)
    const refused = await put(stale)
    expect(problem(refused), 'an update of the version before').toEqual([412, 'precondition_failed'])
    expect(refused.body.errors[0].detail).toContain(current)
    for (const tag of [`"x", ${current}`, '*']) expect([tag, (await change(tag)).status]).toEqual([tag, 200])
    if (!deletes) return
    expect(
      (await world.admin.delete(path, { 'if-match': stale })).status,
      'a delete of the version before',
    ).toBe(412)
    const last = etagOf(await world.admin.get(path))
    expect((await world.admin.delete(path, { 'if-match': last })).status, 'a delete').toBe(204)
    expect(etagOf(await world.admin.get(path)), 'the entity tag after a delete').not.toBe(last)
  })

  test('accepts one of many concurrent updates with the same version', async () => {
    // Before the first change in a store, and after it.
    for (const stored of [!deletes, true]) {
      if (stored) await change()
      else await world.admin.delete(path)
      const etag = etagOf(await world.admin.get(path))
      const values = await others()
      const replies = await Promise.all(Array.from({ length: 6 }, () => put(etag, values)))
      expect(replies.map(({ status }) => status).sort(), 'statuses of six at once').toEqual([
        200,
        ...Array(5).fill(412),
      ])
    }
  })

  test('names each field that has a value of the wrong type', async () => {
    for (const [name, { schema }] of writable(singleton.fields)) {
      const types = [schema.type].flat()
      const bad = types.includes('object') ? 17 : {}
      const { status, body } = await put(undefined, { [name]: bad })
      expect([name, status, body.errors?.[0].source]).toEqual([name, 400, `data.${name}`])
    }
    for (const body of [{}, { data: null }, { data: [] }, { data: { type: 'no_such_type' } }]) {
      expect(problem(await world.admin.put(path, body)), JSON.stringify(body)).toEqual([400, 'invalid_field'])
    }
  })

  test('has one change in the feed for each accepted write', async () => {
    const changes = async () => {
      const { rows } = await world.feed(
        'SELECT event, request_id FROM changes WHERE store_id = $1 AND source = $2 ORDER BY position',
        [world.storeId, `singletons.${singleton.name}`],
      )
      return rows
    }
    await change()
    const before = (await changes()).length
    const written = await change()
    await change('"stale"')
    if (deletes) await world.admin.delete(path)
    const fresh = (await changes()).slice(before)
    const events = fresh.map(({ event }) => event)
    expect(events, 'the changes that the writes left').toEqual(deletes ? ['updated', 'deleted'] : ['updated'])
    expect(fresh[0].request_id).toBe(written.headers.get('x-request-id'))
  })
})
