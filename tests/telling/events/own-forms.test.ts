import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pauseIntegration } from '../../../server/telling/integrations/integrations.ts'
import { accountRealm } from '../../builders/people/accounts.ts'
import { person, profile } from '../../builders/people/members.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { uploaded } from '../../builders/store/uploads.ts'
import { eventsAfter, eventsDuring, keysOf, lastPosition } from '../../builders/telling/derived-events.ts'
import { body, idOf } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Families whose objects do not come and go by the usual three requests. */

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { SUTLER_BASE_URL: 'https://shop.example.com' } })
})
afterAll(() => world.close())

const shown = async (path: string, headers?: Record<string, string>) => ({
  data: (await world.admin.get(path, headers)).body.data,
})

test('links to an identity change their user', async () => {
  const profileId = await profile(world.admin)
  const events = await eventsDuring(world, () => person(world, profileId))
  expect(keysOf(events).filter((key) => key.startsWith('user-'))).toEqual([
    'user-authentication-info.created',
    'user-authentication-info.updated',
  ])
})

test('a file has two events', async () => {
  let id = ''
  const created = await eventsDuring(world, async () => {
    id = (await uploaded(world, { name: 'loaf.txt', content: 'bread' })).id
  })
  expect(keysOf(created)).toEqual(['file.created'])
  expect(created[0]?.payload).toEqual(await shown(`/v2/files/${id}`))
  const gone = await eventsDuring(world, () => world.admin.delete(`/v2/files/${id}`))
  expect(gone.map(({ key, payload }) => [key, payload])).toEqual([['file.deleted', { type: 'file', id }]])
})

test('the first write of the settings creates and updates them', async () => {
  const put = (page_length: number) => () =>
    world.admin.put('/v2/settings', body('settings', { page_length }))
  const first = await eventsDuring(world, put(20))
  expect(keysOf(first)).toEqual(['settings.created', 'settings.updated'])
  expect(first[1]?.payload).toEqual(await shown('/v2/settings'))
  expect(keysOf(await eventsDuring(world, put(21)))).toEqual(['settings.updated'])
  await put(25)()
})

test('a gateway has an event without its secrets', async () => {
  const put = { data: { type: 'gateway', enabled: true, login: 'sk_test_a_secret_key' } }
  const events = await eventsDuring(world, () => world.admin.put('/v2/gateways/stripe', put))
  expect(keysOf(events)).toEqual(['payment-gateway.updated'])
  expect(events[0]?.payload).toEqual(await shown('/v2/gateways/stripe'))
  expect(events[0]?.payload.data.meta.secrets).toEqual(['login'])
  expect(JSON.stringify(events)).not.toContain('sk_test_a_secret_key')
})

test('an integration has three events, with its configuration but for the secrets', async () => {
  const configuration = {
    url: 'https://hooks.example.com:8443/services/T0/a-token?key=another-token',
    secret_key: 'a-secret-of-the-hook',
  }
  const data = { name: 'Warehouse', integration_type: 'webhook', observes: ['order.paid'], configuration }
  let id = ''
  const created = await eventsDuring(world, async () => {
    id = await idOf(world.admin.post('/v2/integrations', body('integration', data)))
  })
  const path = `/v2/integrations/${id}`
  expect(keysOf(created)).toEqual(['integration.created'])
  // Who observes it is not who may read it.
  const integration = (await shown(path)).data
  expect(created[0]?.payload).toEqual({
    data: { ...integration, configuration: { url: 'https://hooks.example.com:8443/***' } },
  })
  const changed = await eventsDuring(world, () => world.admin.put(path, body('integration', { name: 'W' })))
  expect(keysOf(changed)).toEqual(['integration.updated'])
  const gone = await eventsDuring(world, () => world.admin.delete(path))
  expect(gone.map(({ key, payload }) => [key, payload])).toEqual([
    ['integration.deleted', { type: 'integration', id }],
  ])
})

test('an integration that is paused has an event that says why', async () => {
  const data = {
    name: 'W',
    integration_type: 'webhook',
    observes: ['order.paid'],
    configuration: { url: 'https://a.example.com' },
  }
  const id = await idOf(world.admin.post('/v2/integrations', body('integration', data)))
  const events = await eventsDuring(world, () => pauseIntegration(world.work, id, 'it has failed for a day'))
  expect(keysOf(events)).toEqual(['integration.updated', 'integration.paused'])
  const now = await shown(`/v2/integrations/${id}`)
  expect(now.data.paused.reason).toBe('it has failed for a day')
  for (const { payload } of events) expect(payload).toEqual(now)
})

test('a stock transaction is shown with its attributes', async () => {
  const id = await shopOf(world).product()
  await world.admin.post('/v2/inventories', { data: { type: 'stock', id, quantity: 5 } })
  const path = `/v2/inventories/${id}/transactions`
  const increment = { data: { type: 'stock-transaction', action: 'increment', quantity: 2 } }
  const events = await eventsDuring(world, () => world.admin.post(path, increment))
  expect(keysOf(events)).toEqual(['stock-transaction.created'])
  const located = { 'ep-inventories-multi-location': 'true' }
  expect(events[0]?.payload).toEqual(await shown(`${path}/${events[0]?.payload.data.id}`, located))
})

test('a release has events for its states, and for its deletion', async () => {
  const shop = shopOf(world)
  const hierarchy = await shop.hierarchy()
  const catalog = await shop.catalog([hierarchy])
  const before = await lastPosition(world)
  const first = await shop.publish(catalog)
  const events = await eventsAfter(world, before)
  expect(new Set(keysOf(events))).toEqual(new Set(['catalog-release.created', 'catalog-release.updated']))
  expect(keysOf(events)[0]).toBe('catalog-release.created')
  const [last, now] = [
    events.at(-1)?.payload.data,
    (await shown(`/catalogs/${catalog}/releases/${first.id}`)).data,
  ]
  // The link is signed anew, and valid for an hour.
  const withoutLink = ({ relationships: { delta, ...others }, ...release }: typeof now) => [release, others]
  expect(withoutLink(last)).toEqual(withoutLink(now))
  expect(last.meta.release_status).toBe('PUBLISHED')
  const gone = await eventsDuring(world, () => world.admin.delete(`/catalogs/${catalog}/releases`))
  expect(gone.map(({ key, payload }) => [key, payload])).toContainEqual([
    'catalog-release.deleted',
    { type: 'catalog-release', id: first.id },
  ])
})

test('a one-time password is in the event, in the clear, and not in the feed', async () => {
  const profileId = await profile(world.admin, { enable_one_time_password_token: true })
  const who = await person(world, profileId)
  const before = await lastPosition(world)
  const path = `${await accountRealm(world.admin)}/password-profiles/${profileId}/one-time-password-token-request`
  const data = { username: who.username, purpose: 'passwordless_authentication' }
  await world.admin.post(path, body('one_time_password_token_request', data))
  const [event] = await until(async () => {
    const events = await eventsAfter(world, before)
    return events.length ? events : undefined
  })
  expect(event?.key).toBe('one-time-password-token-request.created')
  expect(event?.payload).toEqual({
    ...{ authentication_realm_id: expect.any(String), password_profile_id: profileId },
    ...{ one_time_password_token: expect.any(String), purpose: data.purpose },
    user_authentication_info: expect.objectContaining({ id: who.id }),
    user_authentication_password_profile_info: expect.objectContaining({ username: who.username }),
    created_at: expect.stringMatching(/\+00:00$/),
    updated_at: expect.stringMatching(/\+00:00$/),
  })
  const { rows } = await world.feed('SELECT c::text AS text FROM changes c WHERE store_id = $1', [
    world.storeId,
  ])
  expect(rows.some(({ text }) => text.includes(event?.payload.one_time_password_token))).toBe(false)
})

describe('entries of a custom API', () => {
  const apis = '/v2/settings/extensions/custom-apis'

  test('have events named as its type', async () => {
    const facts = { name: 'Wishlists', slug: 'wishlists', api_type: 'wishlist_ext' }
    const api = await idOf(world.admin.post(apis, body('custom_api', facts)))
    const field = { name: 'Title', slug: 'title', field_type: 'string' }
    await idOf(world.admin.post(`${apis}/${api}/fields`, body('custom_field', field)))
    const entries = '/v2/extensions/wishlists'
    let id = ''
    const created = await eventsDuring(world, async () => {
      id = await idOf(world.admin.post(entries, body('wishlist_ext', { title: 'Birthday' })))
    })
    expect(keysOf(created)).toEqual(['wishlist_ext.created'])
    expect(created[0]?.payload).toEqual(await shown(`${entries}/${id}`))
    const put = body('wishlist_ext', { title: 'Easter' })
    const changed = await eventsDuring(world, () => world.admin.put(`${entries}/${id}`, put))
    expect(changed.map(({ key, payload }) => [key, payload.data.title])).toEqual([
      ['wishlist_ext.updated', 'Easter'],
    ])
    const before = await lastPosition(world)
    await idOf(world.admin.post(entries, body('wishlist_ext', { title: 'Lent' })))
    await world.admin.delete(`${entries}/${id}`)
    await world.admin.delete(`${apis}/${api}`)
    const last = await eventsAfter(world, before)
    expect(keysOf(last)).toEqual(['wishlist_ext.created', 'wishlist_ext.deleted', 'wishlist_ext.deleted'])
    expect(last[0]?.payload).toMatchObject({ data: { type: 'wishlist_ext', title: 'Lent' } })
    expect(last[1]?.payload).toEqual({ type: 'wishlist_ext', id })
  })
})
