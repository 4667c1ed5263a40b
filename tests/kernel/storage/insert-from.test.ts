import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { things } from '../../workshop/things.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const insertFrom = (ids: readonly string[], title: string) =>
  world.work.store.insertFrom(things, {
    columns: ['id', 'doc'],
    rows: (bind) =>
      `SELECT id, json_build_object('title', ${bind(title)}::text) FROM unnest(${bind(ids)}::uuid[]) id`,
  })

test('many rows are inserted at once, and existing rows stay unchanged', async () => {
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
  expect((await insertFrom([first, second], 'one')).toSorted()).toEqual([first, second].toSorted())
  expect(await insertFrom([second, third], 'other'), 'the ids of the new ones').toEqual([third])
  const titleOf = async (id: string) => (await world.admin.get(`/v2/things/${id}`)).body.data.title
  expect(await Promise.all([first, second, third].map(titleOf))).toEqual(['one', 'one', 'other'])
})

test('each is counted, and recorded in the feed with its author', async () => {
  const before = (await world.admin.get('/v2/things')).body.meta.results.total
  const ids = Array.from({ length: 50 }, () => randomUUID())
  await insertFrom(ids, 'many')
  expect((await world.admin.get('/v2/things')).body.meta.results.total).toBe(before + 50)
  const { rows } = await world.feed(
    `SELECT DISTINCT event, actor, request_id, count(*) OVER () AS n FROM changes WHERE id = ANY($1)`,
    [ids],
  )
  expect(rows).toEqual([{ event: 'created', actor: 'tests', request_id: 'request', n: '50' }])
})
