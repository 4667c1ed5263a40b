import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { gadgets } from '../../workshop/gadgets.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { widgets } from '../../workshop/widgets.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

test('many rows are inserted at once, each recorded with its author', async () => {
  const [gadget = ''] = await world.work.store.insertAll(gadgets, [
    { values: { code: 'AAA', name: undefined } },
  ])
  const slugs = ['one', 'two', 'three']
  const rows = slugs.map((slug, i) => ({ scope: [gadget], values: { slug, serial: i + 1 } as never }))
  const ids = await world.work.store.insertAll(widgets, rows)
  const list = (await world.admin.get(`/v2/gadgets/${gadget}/widgets`)).body
  expect(list.meta.results.total).toBe(3)
  expect(
    new Map(list.data.map(({ id, attributes }: never) => [id, (attributes as { slug: string }).slug])),
  ).toEqual(new Map(ids.map((id, i) => [id, slugs[i]])))
  const { rows: changes } = await world.feed(
    `SELECT actor, event, type FROM changes WHERE id = ANY($1) ORDER BY position`,
    [ids],
  )
  expect(changes).toEqual(ids.map(() => ({ actor: 'tests', event: 'created', type: 'widget' })))
})

test('all are inserted or none, and a refusal has the text of its constraint', async () => {
  const insert = (...codes: string[]) =>
    world.work.store.insertAll(
      gadgets,
      codes.map((code) => ({ values: { code, name: 'x' } })),
    )
  await expect(insert('BBB', 'CCC', 'BBB')).rejects.toMatchObject({
    code: 'conflict',
    source: 'data.code',
  })
  expect((await world.admin.get('/v2/gadgets?filter=in(code,BBB,CCC)')).body.data).toEqual([])
  expect(await insert()).toEqual([])
})

test('many rows are updated at once, each to a new version, and the others stay unchanged', async () => {
  const [one = '', two = ''] = await world.work.store.insertAll(gadgets, [
    { values: { code: 'UAA', name: 'x' } },
    { values: { code: 'UBB', name: 'x' } },
  ])
  const etagOf = async (code: string) => (await world.admin.get(`/v2/gadgets/${code}`)).headers.get('etag')
  const before = [await etagOf('UAA'), await etagOf('UBB')]
  await world.work.store.updateAll(gadgets, [{ id: one, values: { code: 'UCC', name: undefined } }])
  const { data } = (await world.admin.get('/v2/gadgets/UCC')).body
  expect([data.id, data.name]).toEqual([one, undefined])
  expect(await etagOf('UCC')).not.toBe(before[0])
  expect(await etagOf('UBB')).toBe(before[1])
  const taken = world.work.store.updateAll(gadgets, [{ id: two, values: { code: 'UCC', name: 'y' } }])
  await expect(taken).rejects.toMatchObject({ code: 'conflict', source: 'data.code' })
  await world.work.store.updateAll(gadgets, [])
})

test('rows are locked and changed only below their own parent, by one writer at a time', async () => {
  const { store } = world.work
  const gadgetIds = await store.insertAll(gadgets, [
    { values: { code: 'VAA', name: undefined } },
    { values: { code: 'VBB', name: undefined } },
  ])
  const [own = '', other = ''] = gadgetIds
  const values = { slug: 'counted', serial: 1 }
  const [id = ''] = await store.insertAll(widgets, [{ scope: [own], values: values as never }])
  const held = (scope: string) =>
    world.work.transaction(async (work) => {
      const rows = await work.store.lockWhole(widgets, [id], [scope])
      const counted = rows.map(({ doc }) => ({
        id,
        scope: [scope],
        values: { ...doc, serial: doc.serial + 1 },
      }))
      await work.store.updateAll(widgets, counted)
      return rows.length
    })
  expect(await held(other)).toBe(0)
  expect(await Promise.all(Array.from({ length: 5 }, () => held(own)))).toEqual([1, 1, 1, 1, 1])
  await store.updateAll(widgets, [{ id, scope: [other], values: { ...values, serial: 99 } as never }])
  const { data } = (await world.admin.get(`/v2/gadgets/VAA/widgets/${id}`)).body
  expect(data.attributes.serial).toBe(6)
  await expect(store.lockWhole(widgets, [id], [own])).rejects.toThrow('outside a transaction')
})
