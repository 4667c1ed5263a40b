import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Bag = Readonly<Record<string, unknown>>

const path = '/v2/rule-promotions'
const base = {
  ...{ type: 'rule_promotion', name: 'Sale', enabled: true, start: '2026-01-01', end: '2036-01-01' },
  rule_set: { actions: [{ strategy: 'cart_discount', args: ['percent', 10] }] },
}
const create = (data: Bag) => world.admin.post(path, { data: { ...base, ...data } })
const change = (id: string, data: Bag) =>
  world.admin.put(`${path}/${id}`, { data: { type: 'rule_promotion', ...data } })
const ended = { start: '2020-01-01', end: '2020-02-01' }

test('a priority is unique among promotions that run or are scheduled', async () => {
  const first = await create({ priority: 5 })
  expect(first.status).toBe(201)
  const second = await create({ priority: 5, start: '2035-01-01' })
  expect([second.status, second.body.errors[0]]).toMatchObject([
    422,
    { title: 'Duplicate Priority', source: 'data.priority' },
  ])
  // Promotions that are disabled or have ended may have it.
  const disabled = await create({ priority: 5, enabled: false })
  const past = await create({ priority: 5, ...ended })
  expect([disabled.status, past.status]).toEqual([201, 201])
  expect((await change(disabled.body.data.id, { enabled: true })).status).toBe(422)
  expect((await change(past.body.data.id, { end: '2036-01-01' })).status).toBe(422)

  await change(first.body.data.id, { priority: null })
  expect((await change(disabled.body.data.id, { enabled: true })).status).toBe(200)
})

test('a promotion that has ended since leaves its priority to others', async () => {
  const { body } = await create({ priority: 9 })
  // As time does: the row still holds the priority.
  await world.sql(
    `UPDATE rule_promotions SET hidden = jsonb_set(hidden::jsonb, '{ends_at_ms}', '1580515200000')::json WHERE id = $1`,
    [body.data.id],
  )
  expect((await create({ priority: 9 })).status).toBe(201)
})

test('of promotions with one priority that arrive at once, one is stored', async () => {
  const replies = await Promise.all(Array.from({ length: 12 }, () => create({ priority: 11 })))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 422)).toHaveLength(11)
})

test('at most 50 automatic promotions run or are scheduled, also if they arrive at once', async () => {
  await create({ automatic: true, ...ended })
  await create({ automatic: true, enabled: false })
  const replies = await Promise.all(Array.from({ length: 60 }, () => create({ automatic: true })))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(50)
  const refused = replies.filter(({ status }) => status === 400)
  expect(refused).toHaveLength(10)
  expect(refused[0]?.body.errors[0]).toMatchObject({
    ...{ title: 'Too many automatic rule promotions', source: 'data.automatic' },
  })
  const one = replies.find(({ status }) => status === 201)?.body.data.id
  expect((await change(one, { name: 'Changed' })).status).toBe(200)
})
