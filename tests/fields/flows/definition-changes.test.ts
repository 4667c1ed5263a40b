import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

/** Runs `work` again and again, several at a time, until it is told to end. */
function busily(writers: number, work: (n: number) => Promise<void>) {
  let going = true
  let n = 0
  const writing = Promise.all(
    Array.from({ length: writers }, async () => {
      while (going) await work(n++)
    }),
  )
  return async () => {
    going = false
    await writing
  }
}

const accountOf = (name: string, more: object) => ({ data: { type: 'account', name, ...more } })

test('a field that is renamed while objects are written leaves none with its old name', async () => {
  const flow = await makeFlow(world.admin, 'accounts', { grade: { field_type: 'integer' } })
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      world.admin.post('/v2/accounts', accountOf(`old-${i}`, { grade: i })),
    ),
  )
  const ids = replies.map(({ body }) => body.data.id as string)
  const end = busily(4, async (n) => {
    // Whichever of the names it has just now.
    const both = { grade: n, level: n }
    const create = await world.admin.post('/v2/accounts', accountOf(`new-${n}`, both))
    const update = await world.admin.put(`/v2/accounts/${ids[n % 4]}`, accountOf(`old-${n % 4}`, both))
    expect([create.status, update.status]).toEqual([201, 200])
    for (const { body } of [create, update]) {
      const shown = ['grade', 'level'].filter((name) => Object.hasOwn(body.data, name))
      expect([n, shown.length, body.data[shown[0] ?? '']]).toEqual([n, 1, n])
    }
  })
  for (let i = 0; i < 12; i++) {
    const slug = i % 2 ? 'grade' : 'level'
    expect((await flow.change('grade', { slug })).status).toBe(200)
  }
  await end()
  const { rows } = await world.sql(
    `SELECT count(*) AS all, count(doc->'grade') AS grade, count(doc->'level') AS level FROM accounts WHERE store_id = $1`,
    [world.storeId],
  )
  expect([rows[0].level, rows[0].grade]).toEqual(['0', rows[0].all])
  expect(Number(rows[0].all)).toBeGreaterThan(4)
})

test('a field that is deleted while entries are written leaves no value', async () => {
  const flow = await makeFlow(world.admin, 'notes', { lasting: { field_type: 'integer' } })
  const end = busily(4, async (n) => {
    const { status } = await flow.create({ lasting: n, passing: n })
    expect(status).toBe(201)
  })
  for (let i = 0; i < 6; i++) {
    expect((await flow.addField('passing', { field_type: 'integer' })).status).toBe(201)
    expect((await flow.drop('passing')).status).toBe(204)
  }
  await end()
  const { rows } = await world.sql(
    `SELECT count(*) AS all, count(doc->'lasting') AS lasting, count(doc->'passing') AS passing,
       (SELECT count(*) FROM entry_values v WHERE v.store_id = $1 AND v.field_id NOT IN (SELECT id FROM flow_fields)) AS left
     FROM flow_entries WHERE store_id = $1 AND flow_id = $2`,
    [world.storeId, flow.id],
  )
  expect([rows[0].lasting, rows[0].passing, rows[0].left]).toEqual([rows[0].all, '0', '0'])
})

test('a flow has at most 100 fields, also under concurrent creates', async () => {
  const flow = await makeFlow(world.admin, 'many', {})
  const replies = await Promise.all(
    Array.from({ length: 104 }, (_, i) => flow.addField(`f${i}`, { field_type: 'string' })),
  )
  const count = replies.filter(({ status }) => status === 201).length
  expect(count).toBeLessThanOrEqual(100)
  // On a busy machine some are told to try again.
  expect(replies.map(({ status }) => status).filter((status) => ![201, 409, 422].includes(status))).toEqual(
    [],
  )
  for (let i = count; i < 100; i++) {
    expect((await flow.addField(`more${i}`, { field_type: 'string' })).status).toBe(201)
  }
  expect((await flow.addField('last', { field_type: 'string' })).status).toBe(422)
  const shown = await world.admin.get(flow.path)
  expect(shown.body.data.relationships.fields.data.length).toBe(100)
})

test('a flow that is deleted while entries are created leaves none', async () => {
  for (let round = 0; round < 3; round++) {
    const flow = await makeFlow(
      world.admin,
      `passing-${round}`,
      round ? { n: { field_type: 'integer' } } : {},
    )
    const statuses = new Set<number>()
    const end = busily(4, async (n) => void statuses.add((await flow.create({ n })).status))
    expect((await world.admin.delete(flow.path)).status).toBe(204)
    await end()
    expect([...statuses].filter((status) => status !== 201 && status !== 404)).toEqual([])
    const left = await world.sql(
      `SELECT (SELECT count(*) FROM flow_entries WHERE store_id = $1 AND flow_id = $2) AS entries,
         (SELECT count(*) FROM added_fields WHERE store_id = $1 AND name = $2::text) AS added`,
      [world.storeId, flow.id],
    )
    expect(left.rows[0]).toEqual({ entries: '0', added: '0' })
  }
})
