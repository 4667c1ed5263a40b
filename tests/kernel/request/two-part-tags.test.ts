import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** Entity tags of answers that show more than their row: the version, for If-Match, and the state of the answer. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

const tagOf = ({ headers }: Reply) => headers.get('etag') as string
const partsOf = (reply: Reply) =>
  tagOf(reply)
    .replace(/^W\/"|"$/g, '')
    .split('-')
const line = { data: { type: 'paper-line', sku: 'pencil', quantity: 3 } }
const cart = (name: string) => ({ data: { type: 'paper-cart', name } })

test('an answer that changed without a write of its row is not a 304, and keeps its version', async () => {
  const path = `/v2/paper-carts/${randomUUID()}`
  const created = await world.admin.put(path, cart('first'))
  const before = await world.admin.get(path)
  expect(tagOf(before), 'the tag of the write, and of a read after it').toBe(tagOf(created))
  await world.admin.post(`${path}/lines`, line)
  const after = await world.admin.get(path, { 'if-none-match': tagOf(before) })
  expect([after.status, after.body.data.total_quantity]).toEqual([200, 3])
  const [version, state] = partsOf(before)
  expect(partsOf(after)).toEqual([version, expect.not.stringMatching(`^${state}$`)])
  expect((await world.admin.get(path, { 'if-none-match': tagOf(after) })).status).toBe(304)
})

test('If-Match accepts a tag with an old state, and refuses one with an old version', async () => {
  const path = `/v2/paper-carts/${randomUUID()}`
  const tag = tagOf(await world.admin.put(path, cart('first')))
  await world.admin.post(`${path}/lines`, line)
  const changed = await world.admin.put(path, cart('second'), { 'if-match': `"x", ${tag}` })
  expect([changed.status, changed.body.data.name]).toEqual([200, 'second'])
  const refused = await world.admin.put(path, cart('third'), { 'if-match': tag })
  expect([refused.status, refused.body.errors[0].detail]).toEqual([412, expect.stringContaining(tag)])
  const version = partsOf(changed)[0] as string
  expect((await world.admin.delete(path, { 'if-match': `W/"${version}"` })).status, 'the version alone').toBe(
    204,
  )
})

test('of two writes with the tag of an unborn object, the first succeeds', async () => {
  const path = `/v2/paper-carts/${randomUUID()}`
  const tag = tagOf(await world.admin.get(path))
  expect((await world.admin.put(path, cart('first'), { 'if-match': tag })).status).toBe(200)
  expect((await world.admin.put(path, cart('second'), { 'if-match': tag })).status).toBe(412)
})
