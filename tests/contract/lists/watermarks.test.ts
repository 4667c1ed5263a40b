import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasWatermark } from '../../../server/kernel/shape/model.ts'
import { operations, specimens } from '../../builders/samples.ts'
import { filesIn, read } from '../../support/source-files.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** Lists that clients can filter by the time of a change say from which time on to ask again. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

test('each table of a list with a watermark respects the fence', async () => {
  const { rows } = await world.sql(
    `SELECT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname = 'fence_times' AND tgenabled = 'O'`,
  )
  const fenced = new Set(rows.map(({ table }) => table))
  const paged = operations.flatMap(({ of }) => (of.is === 'action' && of.action.shows?.rows) || [])
  const resources = [...specimens.map(({ resource }) => resource), ...paged].filter(hasWatermark)
  expect(resources.length).toBeGreaterThan(10)
  const advice = 'CALL track(…) or CALL fence_times_of(…) in its migration'
  expect(
    [...new Set(resources.map(({ table }) => table))].filter((table) => !fenced.has(table)),
    advice,
  ).toEqual([])
})

test('no trigger before updates makes them lock rows as if their keys changed', async () => {
  // PostgreSQL then takes all generated columns for changed, also those of keys.
  const { rows } = await world.sql(
    `SELECT DISTINCT t.tgrelid::regclass || ': ' || t.tgname AS trigger
     FROM pg_trigger t JOIN pg_index i ON i.indrelid = t.tgrelid AND i.indisunique
     JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = ANY(i.indkey) AND a.attgenerated <> ''
     WHERE NOT t.tgisinternal AND t.tgtype & 2 > 0 AND t.tgtype & 16 > 0 AND t.tgtype & 1 > 0`,
  )
  expect(rows).toEqual([])
})

test('each statement that gives a row a new time respects the fence', async () => {
  const { rows } = await world.sql(
    `SELECT prosrc AS text FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE n.nspname = current_schema()`,
  )
  const files = filesIn('server').filter((file) => file.endsWith('.ts'))
  const sets = [...rows.map(({ text }) => text), ...files.map(read)].flatMap((text: string) =>
    [...text.matchAll(/(?<!const )\bupdated_at = .{0,60}/g)].map(([set]) => set),
  )
  // A row that was to be inserted has been through the trigger.
  const unfenced = sets.filter(
    (set) => !/= (greatest\((r\.)?updated_at, )?(fenced\(|excluded\.updated_at)/.test(set),
  )
  expect(sets.length).toBeGreaterThan(8)
  expect(unfenced).toEqual([])
})

test('a list has its watermark in a header; the body and its links do not', async () => {
  await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'First' } })
  // A server does not know it in its first moments.
  const { mark, body } = await until(async () => {
    const { headers, body } = await world.admin.get('/v2/accounts')
    const mark = headers.get('sutler-watermark')
    return mark ? { mark, body } : undefined
  })
  expect(mark).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  expect(JSON.stringify(body)).not.toContain('watermark')
  const { body: created } = await world.admin.post('/v2/accounts', {
    data: { type: 'account', name: 'Second' },
  })
  const { body: since } = await world.admin.get(`/v2/accounts?filter=ge(updated_at,${mark})`)
  expect(since.data.map(({ id }: { id: string }) => id)).toContain(created.data.id)
  // It goes on while lists are read.
  await until(async () => {
    const later = (await world.admin.get('/v2/accounts')).headers.get('sutler-watermark') as string
    return later > mark || undefined
  })
})

test('lists that do not show all rows of a table have none', async () => {
  // A member becomes unassigned without a write.
  const { headers, status } = await world.admin.get(
    '/v2/personal-data/erasure-requests?filter=eq(resource_type,account)',
  )
  expect([status < 500, headers.get('sutler-watermark')]).toEqual([true, null])
})
