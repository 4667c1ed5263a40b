import { expect, test } from 'vitest'
import { firstLink } from '../../../server/people/index.ts'
import { addColleague } from '../../builders/people/colleagues.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const linkOf = (world: World, storeId = world.storeId) =>
  firstLink(world.server.instance, storeId, 'http://localhost')

const accept = (world: World, link: string, fields: object = {}) =>
  world.nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'invitation', store: world.storeId, invitation: link.split('#')[1] },
      ...{ password: 'eleven horses by the river', name: 'Ada Marsh', email: 'ada@example.com' },
      ...fields,
    }),
  )

test('the first colleague makes themselves the Store Admin, once', async () => {
  const world = await openWorld()
  const [link, other] = [linkOf(world), linkOf(world)]
  const without = await accept(world, link, { email: undefined })
  expect([without.status, without.body.errors[0].source]).toEqual([400, 'data.email'])
  expect((await accept(world, link, { password: 'too short' })).status).toBe(422)
  const replies = await Promise.all([accept(world, link), accept(world, other, { email: 'eve@example.com' })])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 401])
  const token = replies.find(({ status }) => status === 201)?.body.data.token
  const { body: own } = await world.clientWith(token).get('/v2/permissions/own')
  expect(own.data).toMatchObject({ role: 'Store Admin', name: 'Ada Marsh' })
  expect((await accept(world, linkOf(world))).status).toBe(401)
  const { body: listed } = await world.admin.get('/v2/permissions/role-assignments')
  expect(listed.data).toHaveLength(1)
  await world.close()
})

test('a forged link, one of another store, and one that is too old are refused', async () => {
  const clock = new MovingClock()
  const world = await openWorld({ clock })
  const link = linkOf(world)
  const until = link.split('.').at(-2) ?? ''
  const { body: stores } = await world.other.get('/v2/stores')
  for (const forged of [
    link.replace(until, String(Number(until) + 1)),
    `${link.slice(0, -1)}${link.endsWith('x') ? 'y' : 'x'}`,
    linkOf(world, stores.data[0].id),
    '#first.9999999999.',
    '#first',
  ])
    expect([forged, (await accept(world, forged)).status]).toEqual([forged, 401])
  clock.forward(3 * 24 * 60 * 60 + 1)
  expect((await accept(world, link)).status).toBe(401)
  await world.close()
})

test('a store with a colleague, also one who was only invited, has no first one any more', async () => {
  const world = await openWorld()
  const link = linkOf(world)
  await addColleague(world.admin, 'Basic')
  expect((await accept(world, link)).status).toBe(401)
  await world.close()
})
