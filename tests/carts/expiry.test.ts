import { afterAll, beforeAll, expect, test } from 'vitest'
import { cartChapter } from '../../server/carts/index.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const wrap = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
const itemsIn = async (id: string) => (await world.admin.get(`/v2/carts/${id}/items`)).body.data.length
/** Moves the last change of a cart into the past. */
const age = (id: string, days: number) =>
  world.sql('UPDATE carts SET updated_at = $2 WHERE reference = $1', [
    id,
    new Date(Date.now() - days * 86_400_000),
  ])

test('an expired cart reads as an empty one, and its id can be used again', async () => {
  await world.admin.post('/v2/carts/tablet/items', { data: wrap })
  await age('tablet', 6)
  expect(await itemsIn('tablet')).toBe(1)
  await age('tablet', 8)
  expect(await itemsIn('tablet')).toBe(0)
  const again = await world.admin.post('/v2/carts/tablet/items', { data: { ...wrap, quantity: 3 } })
  expect(again.body.data.map(({ quantity }: { quantity: number }) => quantity)).toEqual([3])
})

test('an expired cart can be created again under its id', async () => {
  await world.admin.post('/v2/carts', { data: { id: 'twice', name: 'First' } })
  await age('twice', 8)
  const { status, body } = await world.admin.post('/v2/carts', { data: { id: 'twice', name: 'Second' } })
  expect([status, body.data.name]).toEqual([201, 'Second'])
})

test('a write moves the expiry, and a read does not', async () => {
  await world.admin.post('/v2/carts', { data: { id: 'moved' } })
  await age('moved', 1)
  const expiryOf = async () =>
    Date.parse((await world.admin.get('/v2/carts/moved')).body.data.meta.timestamps.expires_at)
  const before = await expiryOf()
  expect(await expiryOf()).toBe(before)
  await world.admin.post('/v2/carts/moved/items', { data: wrap })
  expect(await expiryOf()).toBeGreaterThan(before)
})

test('the chore deletes expired carts and no others', async () => {
  for (const id of ['old', 'new']) await world.admin.post('/v2/carts', { data: { id } })
  await age('old', 8)
  await cartChapter.chores?.[0]?.run(world.work.instance)
  const { rows } = await world.sql(`SELECT reference FROM carts WHERE reference IN ('old', 'new')`)
  expect(rows).toEqual([{ reference: 'new' }])
  const { rows: changes } = await world.feed(
    `SELECT event, actor FROM changes WHERE source = 'carts' ORDER BY position DESC LIMIT 1`,
  )
  expect(changes).toMatchObject([{ event: 'deleted', actor: 'system' }])
})
